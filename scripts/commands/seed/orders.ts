import type { Offer } from '../../../proto/http/sourcing/offers.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import type { ApiClient } from '../../../services/testing/client.ts'
import { type DemoAssignment, ensureAssignment } from './assignments.ts'
import { type Clients, type DemoDeps, expectOk, memberClients, partNamed } from './requests.ts'

/** A step of an order: its verb, its body, and the key of the organization if it is not the manufacturer. */
type Step = readonly [verb: string, body?: object | undefined, by?: string]

/** An order of the demo. Organizations have their keys, parts their external references and factories their names. */
interface DemoOrder {
  consumer: string
  part: string
  manufacturer: string
  factory: string
  seller?: string
  quantity: number
  unitPrice: string
  toolingCost?: string
  shippingCost?: string
  leadTimeDays: number
  /** It tells the RFQs apart, so that a repeated seed creates none twice. */
  requirements: string
  steps: readonly Step[]
  assignment?: DemoAssignment
}

const VESTLAND = { manufacturer: 'vestland-additive', factory: 'Vestland Additive, Bergen' }
const RUHR = { manufacturer: 'ruhr-praezision', factory: 'Ruhr Präzision, Essen' }
const TANJONG = { manufacturer: 'tanjong-castings', factory: 'Tanjong Castings, Tuas foundry' }
const IMPELLER = 'SKP-IMP-120-B'
const WEAR_RING = 'SKP-WR-120-A'
const CASING = 'SKP-VC-120-C'

const BERGEN: DemoAssignment = {
  contacts: [
    { name: 'Solveig Nes', role: 'Project manager', email: 'solveig.nes@vestland-additive.example.com' },
    { name: 'Quality department', phone: '+47 55 12 34 56' },
  ],
  billingDetails: [
    {
      companyName: 'Vestland Additive AS',
      address: { regionCode: 'NO', locality: 'Bergen', postalCode: '5003', lines: ['Postboks 12'] },
      taxId: 'NO987654321MVA',
      email: 'invoices@vestland-additive.example.com',
    },
  ],
}

const PLAN = [
  { name: 'Powder released', completedTime: '2026-10-02T08:30:00.000Z' },
  { name: 'First article inspection', plannedTime: '2026-12-08T12:00:00.000Z' },
]
/** Skagen Pumps owns the designs of impeller, wear ring and casing. */
const RELEASED: readonly Step[] = [['release-files', undefined, 'skagen-pumps'], ['confirm']]
const MADE: readonly Step[] = [...RELEASED, ['start'], ['inspect']]
const SHIPPED: readonly Step[] = [...MADE, ['ship', { carrier: 'Nordic Freight', trackingNumber: 'NF-2207-0042' }]]

/** One in each state, oldest first. */
const DEMO_ORDERS: readonly DemoOrder[] = [
  {
    ...{ consumer: 'nordhavn', part: IMPELLER, ...VESTLAND, seller: 'maas-trading' },
    ...{ quantity: 4, unitPrice: '640', toolingCost: '350', shippingCost: '85.5', leadTimeDays: 21 },
    requirements: 'Spare impellers for the winter docking.',
    steps: [...SHIPPED, ['deliver', undefined, 'maas-trading'], ['complete', undefined, 'nordhavn']],
    assignment: { ...BERGEN, archived: true },
  },
  {
    ...{ consumer: 'saaremaa-ferries', part: WEAR_RING, ...RUHR },
    ...{ quantity: 12, unitPrice: '74.25', shippingCost: '42', leadTimeDays: 14 },
    requirements: 'Wear rings for both ferries of the Virtsu line.',
    steps: [...SHIPPED, ['deliver']],
  },
  {
    ...{ consumer: 'nordhavn', part: WEAR_RING, ...RUHR, seller: 'maas-trading' },
    ...{ quantity: 30, unitPrice: '68.4', shippingCost: '60', leadTimeDays: 18 },
    requirements: 'Wear rings for the stock in Esbjerg.',
    steps: SHIPPED,
  },
  {
    ...{ consumer: 'saaremaa-ferries', part: IMPELLER, ...VESTLAND },
    ...{ quantity: 2, unitPrice: '690', toolingCost: '350', leadTimeDays: 21 },
    requirements: 'Balance both impellers as a pair.',
    steps: [...MADE, ['rework', { reason: 'One bore was out of tolerance.' }], ['inspect']],
  },
  {
    ...{ consumer: 'aurora-offshore', part: 'AUR-CV-2207', ...VESTLAND },
    ...{ quantity: 1, unitPrice: '8450', toolingCost: '1200', leadTimeDays: 60 },
    requirements: 'One body ahead of the series, for the qualification.',
    steps: [['confirm'], ['start'], ['milestones', { milestones: PLAN }]],
    assignment: BERGEN,
  },
  {
    ...{ consumer: 'nordhavn', part: IMPELLER, ...RUHR },
    ...{ quantity: 6, unitPrice: '702.5', shippingCost: '95', leadTimeDays: 35 },
    requirements: 'Machined from bar, with a certificate for each piece.',
    steps: [...RELEASED, ['start'], ['hold', { reason: 'The bar stock failed its incoming inspection.' }]],
    assignment: { extension: { days: 14, reason: 'New bar stock arrives in two weeks.' } },
  },
  {
    ...{ consumer: 'nordhavn', part: CASING, ...TANJONG },
    ...{ quantity: 3, unitPrice: '980', toolingCost: '2400', shippingCost: '310', leadTimeDays: 90 },
    requirements: 'Casings for three ships of the same class.',
    steps: [['confirm']],
  },
  {
    ...{ consumer: 'nordhavn', part: CASING, ...TANJONG },
    ...{ quantity: 1, unitPrice: '1350', toolingCost: '2400', leadTimeDays: 75 },
    requirements: 'One casing before the end of the year.',
    steps: [['decline', { reason: 'The foundry is booked until February.' }]],
  },
  {
    ...{ consumer: 'nordhavn', part: WEAR_RING, ...RUHR },
    ...{ quantity: 8, unitPrice: '79.9', leadTimeDays: 14 },
    requirements: 'Wear rings for a pump that was sold since.',
    steps: [['cancel', { reason: 'The ship was sold.' }, 'nordhavn']],
  },
  {
    ...{ consumer: 'saaremaa-ferries', part: IMPELLER, ...VESTLAND, seller: 'maas-trading' },
    ...{ quantity: 5, unitPrice: '655', toolingCost: '350', shippingCost: '120', leadTimeDays: 28 },
    requirements: 'Spare impellers for the summer season.',
    steps: [],
  },
]

const DAY_MS = 24 * 60 * 60 * 1000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
const euros = (amount: string) => ({ amount, currency: 'EUR' })

/** The organizations by key and the factories by name. */
interface Ids {
  orgs: ReadonlyMap<string, string>
  factories: ReadonlyMap<string, string>
}

/**
 * Creates the orders, with what belongs to their assignments, over HTTP, signed in as the members of the organizations.
 * An interrupted seed continues.
 */
export async function ensureOrders(
  deps: DemoDeps,
  orgs: ReadonlyMap<string, string>,
  factories: ReadonlyMap<string, string>,
): Promise<void> {
  const clientOf = memberClients(deps)
  for (const order of DEMO_ORDERS) await ensureOrder(order, { orgs, factories }, clientOf)
}

async function ensureOrder(demo: DemoOrder, ids: Ids, clientOf: Clients): Promise<void> {
  const [buyer, maker] = [await clientOf(demo.consumer), await clientOf(demo.manufacturer)]
  const rfqId = await ensureRfq(demo, ids, buyer)
  const known = await orderOf(maker, rfqId)
  if (!known) await accept(demo, ids, buyer, await ensureOffer(demo, ids, maker, rfqId))
  const { id } = known ?? (await orderOf(maker, rfqId)) ?? {}
  // Each step adds an entry to the history, after that of the creation.
  const history = await expectOk(maker.get<{ items: unknown[] }>(`/v1/orders/${id}/history?pageSize=50`))
  for (const [verb, body, by = demo.manufacturer] of demo.steps.slice(history.items.length - 1)) {
    await expectOk((await clientOf(by)).post(`/flows/v1/orders/${id}/${verb}`, body))
  }
  if (id !== undefined && demo.assignment) await ensureAssignment(maker, id, demo.assignment)
}

/** The id of the published RFQ. */
async function ensureRfq(demo: DemoOrder, { orgs }: Ids, buyer: ApiClient): Promise<string> {
  const { items } = await expectOk(buyer.get<{ items: Rfq[] }>('/v1/rfqs?view=CONSUMER&pageSize=50'))
  const known = items.find(({ requirements }) => requirements === demo.requirements)
  const body = {
    partId: await partNamed(buyer, demo.part),
    quantities: [demo.quantity],
    manufacturerIds: [orgs.get(demo.manufacturer)],
    expireTime: inDays(180),
    currency: 'EUR',
    deliveryRegionCode: 'DK',
    requirements: demo.requirements,
  }
  const { id, state } = known ?? (await expectOk(buyer.post<Rfq>('/flows/v1/rfqs', body)))
  if (state === 'DRAFT') await expectOk(buyer.post(`/flows/v1/rfqs/${id}/publish`))
  return id
}

/** The id of the submitted offer for an RFQ. */
async function ensureOffer(demo: DemoOrder, { factories }: Ids, maker: ApiClient, rfqId: string): Promise<string> {
  const listed = await expectOk(maker.get<{ items: Offer[] }>(`/v1/offers?view=MANUFACTURER&rfqId=${rfqId}`))
  const body = {
    rfqId,
    factoryId: factories.get(demo.factory),
    priceBreaks: [{ minQuantity: 1, unitPrice: euros(demo.unitPrice), leadTimeDays: demo.leadTimeDays }],
    ...(demo.toolingCost === undefined ? {} : { toolingCost: euros(demo.toolingCost) }),
    ...(demo.shippingCost === undefined ? {} : { shippingCost: euros(demo.shippingCost) }),
    validUntil: inDays(90),
  }
  const { id, state } = listed.items[0] ?? (await expectOk(maker.post<Offer>('/flows/v1/offers', body)))
  if (state === 'DRAFT') await expectOk(maker.post(`/flows/v1/offers/${id}/submit`))
  return id
}

const accept = ({ quantity, seller }: DemoOrder, { orgs }: Ids, buyer: ApiClient, offerId: string) =>
  expectOk(
    buyer.post(`/flows/v1/offers/${offerId}/accept`, {
      quantity,
      ...(seller === undefined ? {} : { sellerOrgId: orgs.get(seller) }),
    }),
  )

async function orderOf(maker: ApiClient, rfqId: string): Promise<Order | undefined> {
  const { items } = await expectOk(maker.get<{ items: Order[] }>('/v1/orders?view=MANUFACTURER&pageSize=50'))
  return items.find((order) => order.rfqId === rfqId)
}
