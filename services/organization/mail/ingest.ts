import type { Envelope } from '../../../proto/events/envelope.ts'
import type { Bus } from '../../kit/bus/bus.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { candidateOf } from './candidates.ts'
import { type Addressed, appendItems, listConfirmed, listRoles } from './queries.ts'
import {
  type Candidate,
  MAIL_EXPIRY_MS,
  MAIL_SUBJECTS,
  MAX_ITEMS,
  type Notice,
  noticeOf,
  RFQ_ROLES,
  type RfqRole,
} from './rules.ts'

interface IngestDeps {
  bus: Bus
  clock: () => number
  /** Time for which the items for one address are collected. */
  delayMs: number
}

export const MAIL_CONSUMER = 'mail'

/** Turns events into items of the mails for the confirmed addresses of their organizations. */
export function mailIngest({ bus, clock, delayMs }: IngestDeps): Worker {
  const handleAll = (tx: Tx, events: readonly Envelope[]) => collect(tx, events, clock(), delayMs)
  return bus.consume({
    name: MAIL_CONSUMER,
    subjects: MAIL_SUBJECTS,
    handle: (tx, event) => handleAll(tx, [event]),
    handleAll,
  })
}

async function collect(tx: Tx, events: readonly Envelope[], nowMs: number, delayMs: number): Promise<void> {
  const now = timeAt(nowMs)
  const candidates = events.flatMap((event) => candidateOf(event, now) ?? [])
  if (candidates.length === 0) return
  const addresses = await listConfirmed(tx, [...new Set(candidates.map(({ orgId }) => orgId))])
  if (addresses.length === 0) return
  const roleOf = await rolesOf(tx, candidates)
  const told = candidates.flatMap((candidate) => {
    const found = noticeOf(candidate, roleOf(candidate))
    return found ? [{ orgId: candidate.orgId, ...found }] : []
  })
  const mails = addresses.flatMap(({ id: addressId, org_id: orgId, topics, confirmed_at: confirmed }): Addressed[] => {
    const items: Notice[] = told
      .filter(
        (one) =>
          one.orgId === orgId && topics.includes(one.topic) && Date.parse(one.notice.time) >= Date.parse(confirmed),
      )
      .map(({ notice }) => notice)
    return chunksOf(items).map((chunk) => ({ id: newId('mail'), orgId, addressId, items: chunk }))
  })
  const times = { now, due: timeAt(nowMs + delayMs), expires: timeAt(nowMs + MAIL_EXPIRY_MS) }
  // One statement cannot add to the same row twice.
  for (const round of roundsOf(mails)) await appendItems(tx, round, times)
}

const timeAt = (ms: number) => new Date(ms).toISOString()

async function rolesOf(tx: Tx, candidates: readonly Candidate[]) {
  const rfqIds = [...new Set(candidates.flatMap(({ rfqId }) => rfqId ?? []))]
  const rows =
    rfqIds.length === 0 ? [] : await listRoles(tx, rfqIds, [...new Set(candidates.map(({ orgId }) => orgId))])
  const held = new Set(rows.map(({ rfq_id: rfqId, org_id: orgId, role }) => `${rfqId} ${orgId} ${role}`))
  return ({ rfqId, orgId }: Candidate): RfqRole | undefined =>
    RFQ_ROLES.find((role) => held.has(`${rfqId} ${orgId} ${role}`))
}

const chunksOf = (items: readonly Notice[]): Notice[][] =>
  Array.from({ length: Math.ceil(items.length / MAX_ITEMS) }, (_, n) => items.slice(n * MAX_ITEMS, (n + 1) * MAX_ITEMS))

/** Mails of which each round has at most one for an address. */
function roundsOf(mails: readonly Addressed[]): Addressed[][] {
  const rounds: Addressed[][] = []
  for (const of of Map.groupBy(mails, ({ addressId }) => addressId).values()) {
    for (const [n, mail] of of.entries()) rounds[n] = [...(rounds[n] ?? []), mail]
  }
  return rounds
}
