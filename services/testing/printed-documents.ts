import { expect } from 'bun:test'
import type { OrderState } from '../../proto/states/orders.ts'
import { assignmentOf, assignmentsOf } from './assignments.ts'
import { awardParties, awardsOf } from './awards.ts'
import type { TestMarketplace, TestOrganization } from './marketplace.ts'
import { pagesOf } from './pdf.ts'

interface Wanted {
  by?: Pick<TestOrganization, 'administrator'>
  query?: string
  orderId?: string
  headers?: Record<string, string>
}

/** An order of 1,234 pieces with every optional value, sold by a seller, and how its documents are printed. */
export async function printedOrder(market: TestMarketplace) {
  const { owner } = market.db
  const parties = await awardParties(market)
  const { consumer, ipOwner, maker, seller, distributor } = parties
  const changePart = async (body: object) => {
    const answer = await ipOwner.administrator.client.send('PATCH', `/flows/v1/parts/${parties.partId}`, { body })
    expect(answer.status).toBe(200)
  }
  await changePart({ title: 'Impeller, first stage', materialId: '316l', processId: 'pbf-metal' })
  for (const [org, name] of [
    [consumer, 'Skagen Pumps'],
    [ipOwner, 'Aarhus Design'],
    [maker, 'Vestland Additive'],
    [seller, 'Nordic Sales'],
    [distributor, 'Baltic Trade'],
  ] as const) {
    await owner`update organization.organizations set name = ${name} where id = ${org.orgId}`
  }

  const delivery = {
    name: 'Esbjerg Ship Repair, goods receipt',
    lines: ['Dokvej 12', 'Gate 3'],
    postalCode: '6700',
    locality: 'Esbjerg',
    regionCode: 'DK',
  }
  const rfqId = await parties.open({
    deliveryRegionCode: 'DK',
    delivery,
    incoterm: 'DAP',
    paymentTerms: '30 days net',
    requiredDocuments: ['MATERIAL_CERTIFICATE', 'INSPECTION_REPORT'],
    quantities: [1234],
  })
  const offerId = await parties.offer(rfqId, maker, {
    reference: 'Q-2231',
    priceBreaks: [{ minQuantity: 1, unitPrice: { amount: '95.5001', currency: 'EUR' }, leadTimeDays: 28 }],
  })
  const awards = [{ offerId, quantity: 1234, purchaseOrderNumber: '4500118' }]
  const awarded = await awardsOf(consumer.administrator.client).award(rfqId, { awards, sellerOrgId: seller.orgId })
  expect([awarded.status, awarded.text]).toEqual([200, expect.any(String)])
  const [order] = await parties.ordersOfRfq(rfqId)
  if (!order) throw new Error('the award placed no order')
  const { id } = order
  await owner`
    update sourcing.orders set serial_number = 'O-7K2M9QXA', created_at = '2031-05-01T22:30:00Z', due_date = '2031-05-29'
    where id = ${id}`
  await owner`update sourcing.part_revisions set serial_number = 'P-7K2M9QXA' where part_id = ${parties.partId}`
  // The order keeps the part as it was quoted.
  await changePart({ title: 'Rotor' })

  const assignmentId = await assignmentOf(owner, id)
  const billingOf = (by: typeof consumer, companyName: string) =>
    assignmentsOf(by.administrator.client)
      .billingDetails(assignmentId)
      .create({
        companyName,
        address: { ...delivery, name: undefined },
        taxId: 'DK12345678',
        reference: 'Cost centre 12',
      })
  await billingOf(consumer, 'Skagen Pumps Holding A/S')
  await billingOf(consumer, 'Skagen Pumps A/S')
  await billingOf(seller, 'Nordic Sales AS')

  const print = async ({ by = consumer, query = 'kind=PURCHASE_ORDER', orderId = id, headers = {} }: Wanted = {}) => {
    const { url, accessToken } = by.administrator.client
    const answer = await fetch(`${url}/flows/v1/orders/${orderId}/document?${query}`, {
      headers: { authorization: `Bearer ${accessToken}`, ...headers },
    })
    const bytes = await answer.bytes()
    const isPdf = answer.headers.get('content-type') === 'application/pdf'
    return {
      status: answer.status,
      headers: answer.headers,
      text: isPdf ? '' : new TextDecoder().decode(bytes),
      lines: isPdf ? (await pagesOf(bytes)).flat() : [],
    }
  }
  const linesFor = async (wanted: Wanted) => {
    const { status, text, lines } = await print(wanted)
    expect([status, text]).toEqual([200, ''])
    return lines
  }
  const kinds = { order: 'kind=PURCHASE_ORDER', confirmation: 'kind=ORDER_CONFIRMATION', packing: 'kind=PACKING_LIST' }

  const moveTo = (state: OrderState, heldState: OrderState | null = null) =>
    owner`update sourcing.orders set state = ${state}, held_state = ${heldState} where id = ${id}`
  /** Documents show the day on which they are printed, which is not that of the test. */
  const withoutFooter = (lines: string[]) => lines.filter((line) => !line.startsWith('Order O-7K2M9QXA, as of '))
  return {
    ...parties,
    parties,
    owner,
    delivery,
    rfqId,
    offerId,
    id,
    assignmentId,
    print,
    linesFor,
    kinds,
    moveTo,
    withoutFooter,
  }
}
