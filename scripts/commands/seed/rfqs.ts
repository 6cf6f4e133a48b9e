import type { Rfq, RfqInput } from '../../../proto/http/sourcing/rfqs.ts'
import type { ApiClient } from '../../../services/testing/client.ts'
import { ensureOffers } from './offers.ts'
import { type Clients, type DemoDeps, expectOk, memberClients, partNamed } from './requests.ts'

/** An RFQ of the demo. Organizations have their keys, and parts their external references. */
interface DemoRfq {
  consumer: string
  part: string
  manufacturers: string[]
  /** The manufacturers that have read it, and those that declined with a reason. */
  readBy?: string[]
  declinedBy?: Record<string, string>
  /** The requests that lead to its state. */
  verbs: readonly ('publish' | 'close' | 'cancel')[]
  terms: Pick<RfqInput, 'quantities' | 'incoterm' | 'requirements' | 'sealed'> & { requirements: string }
}

/**
 * One in each state that consumers can reach. The requirements tell them apart, so that a repeated seed creates none
 * twice.
 */
const DEMO_RFQS: readonly DemoRfq[] = [
  {
    consumer: 'nordhavn',
    part: 'SKP-WR-120-A',
    manufacturers: ['ruhr-praezision', 'tanjong-castings'],
    verbs: ['publish', 'close'],
    terms: { quantities: [20], incoterm: 'FCA', requirements: 'Deliver with the spare part kit of pump SP-120.' },
  },
  {
    consumer: 'nordhavn',
    part: 'SKP-VC-120-C',
    manufacturers: ['tanjong-castings'],
    verbs: ['publish', 'cancel'],
    terms: { quantities: [2], requirements: 'Pressure test at 1.5 times the design pressure.' },
  },
  {
    consumer: 'aurora-offshore',
    part: 'AUR-CV-2207',
    manufacturers: ['vestland-additive'],
    verbs: ['publish'],
    terms: { quantities: [4], incoterm: 'DDP', requirements: 'Full NDT records with each piece.', sealed: true },
  },
  {
    consumer: 'nordhavn',
    part: 'SKP-IMP-120-B',
    manufacturers: ['vestland-additive', 'ruhr-praezision', 'tanjong-castings'],
    readBy: ['vestland-additive'],
    declinedBy: { 'tanjong-castings': 'Casting takes longer than the expiry of this RFQ allows.' },
    verbs: ['publish'],
    terms: {
      quantities: [10, 50],
      incoterm: 'DAP',
      requirements: 'First article inspection of one piece; three ships wait for the rest.',
      sealed: true,
    },
  },
  {
    consumer: 'nordhavn',
    part: 'SKP-WR-120-A',
    manufacturers: [],
    verbs: [],
    terms: { quantities: [], requirements: 'Quantity to be agreed with the superintendent.' },
  },
]

const DAY_MS = 24 * 60 * 60 * 1000
const OPEN_DAYS = 180

interface Directory {
  /** Organizations by key, and factories by name. */
  orgIds: ReadonlyMap<string, string>
  factoryIds: ReadonlyMap<string, string>
}

/** Creates the RFQs and their offers over HTTP, signed in as the members of the organizations. */
export async function ensureRfqs(deps: DemoDeps, { orgIds, factoryIds }: Directory): Promise<void> {
  const clientOf = memberClients(deps)
  for (const rfq of DEMO_RFQS) await ensureRfq(rfq, { orgIds, factoryIds, clientOf })
}

async function ensureRfq(
  { consumer, part, manufacturers, readBy = [], declinedBy = {}, verbs, terms }: DemoRfq,
  { orgIds, factoryIds, clientOf }: Directory & { clientOf: Clients },
): Promise<void> {
  const buyer = await clientOf(consumer)
  const { items } = await expectOk(buyer.get<{ items: Rfq[] }>('/v1/rfqs?view=CONSUMER&pageSize=50'))
  const known = items.find(({ requirements }) => requirements === terms.requirements)
  // An interrupted seed continues with an RFQ that it published before.
  if (known && known.state !== 'DRAFT' && known.state !== 'OPEN') return
  const body = {
    ...terms,
    partId: await partNamed(buyer, part),
    manufacturerIds: manufacturers.map((key) => orgIds.get(key)),
    expireTime: new Date(Date.now() + OPEN_DAYS * DAY_MS).toISOString(),
    currency: 'EUR',
    deliveryRegionCode: 'DK',
  }
  const { id, state } = known ?? (await expectOk(buyer.post<Rfq>('/flows/v1/rfqs', body)))
  if (verbs.length === 0) return
  if (state === 'DRAFT') await expectOk(buyer.post(`/flows/v1/rfqs/${id}/publish`))
  for (const key of readBy) await expectOk((await clientOf(key)).get(`/v1/rfqs/${id}`))
  for (const [key, reason] of Object.entries(declinedBy)) await decline(await clientOf(key), id, reason)
  await ensureOffers({ id, requirements: terms.requirements, buyer }, { clientOf, factoryIds })
  for (const verb of verbs) {
    if (verb === 'publish') continue
    const reason = verb === 'cancel' ? { reason: 'The casing was repaired on board.' } : undefined
    await expectOk(buyer.post(`/flows/v1/rfqs/${id}/${verb}`, reason))
  }
}

async function decline(client: ApiClient, id: string, reason: string): Promise<void> {
  const { status, text } = await client.post(`/flows/v1/rfqs/${id}/decline`, { reason })
  // 409: an earlier run declined.
  if (status !== 200 && status !== 409) throw new Error(`The demo was refused: ${status} ${text}`)
}
