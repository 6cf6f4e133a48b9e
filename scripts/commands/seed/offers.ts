import type { Offer, OfferInput } from '../../../proto/http/sourcing/offers.ts'
import type { ApiClient } from '../../../services/testing/client.ts'
import { type Clients, expectOk } from './requests.ts'

/** An offer of the demo. Organizations have their keys, RFQs their requirements, and factories their names. */
interface DemoOffer {
  rfq: string
  manufacturer: string
  factory: string
  /** The requests that lead to its state. A revision lowers the tooling cost and is submitted. */
  verbs: readonly ('submit' | 'withdraw' | 'reject' | 'revise')[]
  /** Default: 90 days. */
  validSeconds?: number
  terms: Pick<OfferInput, 'priceBreaks' | 'toolingCost' | 'shippingCost'> & { notes: string }
}

const euros = (amount: string) => ({ amount, currency: 'EUR' as const })
const price = (minQuantity: number, amount: string, leadTimeDays: number) => ({
  minQuantity,
  unitPrice: euros(amount),
  leadTimeDays,
})

const WEAR_RINGS = 'Deliver with the spare part kit of pump SP-120.'
const CASINGS = 'Pressure test at 1.5 times the design pressure.'
const VALVE_BODIES = 'Full NDT records with each piece.'
const IMPELLERS = 'First article inspection of one piece; three ships wait for the rest.'

const VESTLAND = { manufacturer: 'vestland-additive', factory: 'Vestland Additive, Bergen' }
const RUHR = { manufacturer: 'ruhr-praezision', factory: 'Ruhr Präzision, Essen' }
const TANJONG = { manufacturer: 'tanjong-castings', factory: 'Tanjong Castings, Tuas foundry' }

/** One in each state that needs no award. The notes tell them apart, so that a repeated seed creates none twice. */
const DEMO_OFFERS: readonly DemoOffer[] = [
  {
    ...RUHR,
    rfq: WEAR_RINGS,
    verbs: ['submit'],
    terms: {
      priceBreaks: [price(1, '96', 14), price(10, '71.50', 18), price(50, '64.25', 25)],
      shippingCost: euros('45'),
      notes: 'Turned from centrifugally cast blanks.',
    },
  },
  {
    ...RUHR,
    rfq: WEAR_RINGS,
    verbs: ['submit', 'withdraw'],
    terms: { priceBreaks: [price(20, '58', 12)], notes: 'Turned from stock that was sold meanwhile.' },
  },
  {
    ...TANJONG,
    rfq: WEAR_RINGS,
    verbs: ['submit'],
    terms: {
      priceBreaks: [price(10, '49.90', 42), price(100, '38', 56)],
      toolingCost: euros('380'),
      shippingCost: euros('120'),
      notes: 'Sand cast and machined.',
    },
  },
  {
    ...TANJONG,
    rfq: WEAR_RINGS,
    verbs: ['submit', 'reject'],
    terms: { priceBreaks: [price(10, '36', 120)], notes: 'Sand cast with the next large batch.' },
  },
  {
    ...TANJONG,
    rfq: WEAR_RINGS,
    verbs: ['submit'],
    validSeconds: 10,
    terms: { priceBreaks: [price(10, '44', 42)], notes: 'At the price of bronze of this hour.' },
  },
  {
    ...TANJONG,
    rfq: CASINGS,
    verbs: ['submit'],
    terms: {
      priceBreaks: [price(1, '2150', 60)],
      toolingCost: euros('4800'),
      notes: 'The pattern becomes your property.',
    },
  },
  {
    ...VESTLAND,
    rfq: VALVE_BODIES,
    verbs: ['submit'],
    terms: {
      priceBreaks: [price(1, '8900', 50), price(4, '7650', 65)],
      shippingCost: euros('310'),
      notes: 'Heat treatment and full NDT are included.',
    },
  },
  {
    ...VESTLAND,
    rfq: IMPELLERS,
    verbs: ['submit', 'revise'],
    terms: {
      priceBreaks: [price(1, '740', 15), price(10, '412.50', 21), price(50, '355.75', 34)],
      toolingCost: euros('600'),
      shippingCost: euros('80'),
      notes: 'Built upright, with HIP and balancing.',
    },
  },
  {
    ...RUHR,
    rfq: IMPELLERS,
    verbs: [],
    terms: {
      priceBreaks: [price(10, '468', 28)],
      notes: 'Milled from bar; the price of the material is not confirmed.',
    },
  },
]

interface OfferedRfq {
  id: string
  requirements: string
  buyer: ApiClient
}

interface Directory {
  clientOf: Clients
  factoryIds: ReadonlyMap<string, string>
}

/** Creates the offers for an open RFQ over HTTP, where they are missing. */
export async function ensureOffers(rfq: OfferedRfq, directory: Directory): Promise<void> {
  for (const offer of DEMO_OFFERS) if (offer.rfq === rfq.requirements) await ensureOffer(offer, rfq, directory)
}

const DAY_SECONDS = 24 * 60 * 60
const VALID_DAYS = 90

async function ensureOffer(
  { manufacturer, factory, verbs, validSeconds = VALID_DAYS * DAY_SECONDS, terms }: DemoOffer,
  rfq: OfferedRfq,
  { clientOf, factoryIds }: Directory,
): Promise<void> {
  const seller = await clientOf(manufacturer)
  const listed = await expectOk(seller.get<{ items: Offer[] }>(`/v1/offers?rfqId=${rfq.id}&pageSize=50`))
  if (listed.items.some(({ notes }) => notes === terms.notes)) return
  const validUntil = new Date(Date.now() + validSeconds * 1000).toISOString()
  const body = { ...terms, rfqId: rfq.id, factoryId: factoryIds.get(factory), validUntil }
  const { id } = await expectOk(seller.post<Offer>('/flows/v1/offers', body))
  for (const verb of verbs) {
    const by = verb === 'reject' ? rfq.buyer : seller
    const reason = verb === 'reject' ? { reason: 'The lead time is too long.' } : undefined
    const answer = await expectOk(by.post<Offer>(`/flows/v1/offers/${id}/${verb}`, reason))
    if (verb === 'revise') await submitRevision(seller, answer)
  }
}

async function submitRevision(seller: ApiClient, { id }: Offer): Promise<void> {
  await expectOk(seller.send('PATCH', `/flows/v1/offers/${id}`, { body: { toolingCost: euros('450') } }))
  await expectOk(seller.post(`/flows/v1/offers/${id}/submit`))
}
