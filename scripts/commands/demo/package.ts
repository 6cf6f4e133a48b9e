import type { PackageComparison } from '../../../proto/clients/typescript/src/index.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { packageTable } from './comparison.ts'
import type { Narrator } from './narrator.ts'
import type { Maker, Parties } from './parties.ts'
import { euros, inDays } from './values.ts'

const PARTS = [
  { title: 'Shaft sleeve', quantities: [20] },
  { title: 'Bearing cap', quantities: [10] },
  { title: 'Wear ring', quantities: [40] },
]

/** The price of a piece and the days until the delivery of each part that a manufacturer offers. */
type Prices = Readonly<Record<string, readonly [amount: string, leadTimeDays: number]>>

const PRINTED: Prices = { 'Shaft sleeve': ['84', 21], 'Bearing cap': ['120.50', 21], 'Wear ring': ['35', 28] }
const WELDED: Prices = { 'Shaft sleeve': ['83', 14], 'Bearing cap': ['131', 14] }

/** Three parts as one package: both manufacturers offer all their lines at once, and one award places all orders. */
export async function tradePackage(narrator: Narrator, parties: Parties): Promise<void> {
  const { buyer, printer, welder } = parties
  narrator.chapter('A package')
  const { data: pkg } = await createPackage(narrator, parties)
  const params = { path: { id: pkg.id } }
  await narrator.step(
    `${buyer.name} publishes it`,
    () => buyer.client.POST('/flows/v1/rfq-packages/{id}/publish', { params }),
    ({ data }) => data.lines.map(({ serialNumber, state }) => `${serialNumber} is ${state}`).join(', '),
    // Of each line its own case, and a conversation with both manufacturers.
    PARTS.length * 3,
  )
  const offer = ({ name, client, factory }: Maker, prices: Prices) => {
    const lines = pkg.lines.flatMap(({ rfqId, partTitle = '' }) => {
      const [amount, leadTimeDays] = prices[partTitle] ?? []
      if (amount === undefined || leadTimeDays === undefined) return []
      const priceBreaks = [{ minQuantity: 1, unitPrice: euros(amount), leadTimeDays }]
      return [{ rfqId, factoryId: factory.id, validUntil: inDays(60), priceBreaks }]
    })
    return narrator.step(
      `${name} offers ${lines.length} of its lines at once`,
      () => client.POST('/flows/v1/rfq-packages/{id}/offers', { params, body: { lines, submit: true } }),
      ({ data }) => data.items.map(({ id, state }) => `${id} is ${state}`).join(', '),
      lines.length,
    )
  }
  await offer(printer, PRINTED)
  await offer(welder, WELDED)
  const { data: comparison } = await narrator.step(
    `${buyer.name} compares the lines`,
    () => buyer.client.GET('/flows/v1/rfq-packages/{id}/comparison', { params }),
    ({ data }) => data.choices.map(({ kind, total }) => `${kind} ${total.amount}`).join(', '),
  )
  narrator.show(packageTable(comparison))
  await awardCheapest(narrator, parties, comparison)
}

/** The parts are published before, because drafts are visible only to their owner. */
async function createPackage(narrator: Narrator, { designer, buyer, printer, welder }: Parties) {
  const { data: parts } = await narrator.step(
    `${designer.name} creates and publishes three more parts`,
    async () => ({
      data: await Promise.all(
        PARTS.map(async ({ title, quantities }) => {
          const body = { title, materialId: '316l', processId: 'pbf-metal' }
          const { data } = await designer.client.POST('/v1/parts', { body })
          await designer.client.POST('/flows/v1/parts/{id}/publish', { params: { path: { id: data.id } } })
          return { ...data, quantities }
        }),
      ),
    }),
    ({ data }) => data.map(({ serialNumber }) => serialNumber).join(', '),
  )
  const body = {
    title: 'Pump overhaul',
    lines: parts.map(({ id: partId, quantities }) => ({ partId, quantities })),
    manufacturerIds: [printer.orgId, welder.orgId],
    expireTime: inDays(30),
    currency: 'EUR' as const,
    deliveryRegionCode: 'DK',
    incoterm: 'DAP' as const,
  }
  return narrator.step(
    `${buyer.name} asks two manufacturers for all of them in one package`,
    () => buyer.client.POST('/flows/v1/rfq-packages', { body }),
    ({ data: { id, lines } }) => `${id} has ${lines.length} lines`,
  )
}

/** One award for every line; each manufacturer then has the orders of its own lines. */
async function awardCheapest(
  narrator: Narrator,
  { buyer, printer, welder }: Parties,
  { packageId, choices }: PackageComparison,
): Promise<void> {
  const cheapest = choices.find(({ kind }) => kind === 'CHEAPEST')
  if (!cheapest) throw new CommandError('The comparison has no offer to award.')
  const { awards } = cheapest
  const { data } = await narrator.step(
    `${buyer.name} awards the cheapest offer of each line, all of them or none`,
    () =>
      buyer.client.POST('/flows/v1/rfq-packages/{id}/award', { params: { path: { id: packageId } }, body: { awards } }),
    ({ data: { orders } }) => `${orders.length} orders`,
    EVENTS_OF_AWARD,
  )
  const placed = new Set(data.orders.map(({ id }) => id))
  for (const { name, client } of [printer, welder]) {
    await narrator.step(
      `${name} finds its orders of the package`,
      () => client.GET('/v1/orders', { params: { query: { view: 'MANUFACTURER' } } }),
      ({ data: { items } }) =>
        items
          .flatMap(({ id, serialNumber, state }) => (placed.has(id) ? `${serialNumber} is ${state}` : []))
          .join(', '),
    )
  }
}

/** Of each line an assignment, the end of its case, and the end of the conversation with the other manufacturer. */
const EVENTS_OF_AWARD = PARTS.length * 3
