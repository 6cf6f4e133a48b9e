import type { Case } from '../../../proto/http/sourcing/cases.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import type { Tx } from '../../kit/db/client.ts'
import type { RecordKey, RecordKind } from '../files/queries.ts'
import { notifyParties } from '../notifications/emit.ts'
import * as offerEvents from '../offers/events.ts'
import { announceOrder, type OrderDeps } from '../orders/followers.ts'
import { lockAnyOrder } from '../orders/queries.ts'
import { caseChange, emitRfqEvent } from '../rfqs/events.ts'
import type { RfqDeps } from '../rfqs/followers.ts'
import { listUnaware } from '../rfqs/queries.ts'
import { readersOfChange } from '../rfqs/rules.ts'
import * as queries from './queries.ts'

/** What happens in other features when the documents of a record change. `service.ts` provides it. */
export interface ReaderDeps {
  followers: RfqDeps['followers'] & OrderDeps['followers']
}

/** Tells the readers of a record that its documents have changed. It locks their cases or assignments. */
type TellReaders = (now: string) => Promise<void>

type Lock = (deps: ReaderDeps, tx: Tx, id: string) => Promise<TellReaders | undefined>

const LOCKS: Record<RecordKind, Lock> = {
  rfq: async (deps, tx, id) => {
    const [row] = await queries.lockAnyRfq(tx, id)
    return row && ((now) => tellOfRfq(deps, tx, JSON.parse(row.document), row.is_published, now))
  },
  offer: async (deps, tx, id) => {
    const [offer] = await queries.lockAnyOffer(tx, id)
    return offer && ((now) => tellOfOffer(deps, tx, offer, now))
  },
  order: async (deps, tx, id) => {
    const [row] = await lockAnyOrder(tx, id)
    return row && ((now) => tellOfOrder(deps, tx, JSON.parse(row.document), now))
  },
  case: async (_, tx, id) => {
    const [row] = await queries.lockAnyCase(tx, id)
    return row && (() => tellOfCase(tx, JSON.parse(row.document)))
  },
}

/** Locks the record of a document, for a job that ends. Undefined where the record does not exist. */
export const lockRecord = (deps: ReaderDeps, tx: Tx, { kind, id }: RecordKey): Promise<TellReaders | undefined> =>
  LOCKS[kind](deps, tx, id)

/** Only the consumer reads the documents of a draft. */
async function tellOfRfq({ followers }: ReaderDeps, tx: Tx, rfq: Rfq, isPublished: boolean, now: string) {
  await emitRfqEvent(tx, 'filesChanged', rfq)
  if (!isPublished) return
  const orgIds = readersOfChange(rfq, await listUnaware(tx, rfq.id, { changeShowsInOutline: false }))
  await followers.updateCases(tx, [{ ...caseChange('filesChanged', rfq), orgIds }], now)
}

type OfferWithReaders = offerEvents.SharedOffer & { is_submitted: boolean; concealed: boolean }

/** Consumer and IP owner are notified only while they see the prices, and never of documents of a draft. */
async function tellOfOffer({ followers }: ReaderDeps, tx: Tx, offer: OfferWithReaders, now: string) {
  await offerEvents.emitOfferEvent(tx, 'filesChanged', offer)
  if (!offer.is_submitted) return
  const change = offerEvents.caseChange('filesChanged', offer)
  const orgIds = offer.concealed ? [offer.manufacturer_org_id] : change.orgIds
  await followers.updateCases(tx, [{ ...change, orgIds }], now)
}

/** The order keeps its `updatedTime`, from which the 90 days after its end count. The assignment gets the time. */
export const tellOfOrder = (deps: ReaderDeps, tx: Tx, order: Order, now: string): Promise<void> =>
  announceOrder(tx, deps, 'filesChanged', { ...order, updatedTime: now })

export async function tellOfCase(tx: Tx, record: Case): Promise<void> {
  await notifyParties(tx, [{ type: 'cases.updated', data: { case: record } }])
}
