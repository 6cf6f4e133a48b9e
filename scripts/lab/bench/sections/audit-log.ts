import { loadedActor } from '../../../../services/testing/load/audit-log.ts'
import { count, quantile } from '../compare.ts'
import type { Section } from '../context.ts'
import { AUDIT_ACTORS, AUDIT_MONTHS } from '../database.ts'
import { readPage, timesOf } from '../lists.ts'
import { signIn } from '../services.ts'

const PAGES = 100
/** Connections prepare their statements, and Postgres plans them, before the measurement. */
const WARM_UP_REQUESTS = 24

const month = (ago: number) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)).toISOString()
}
const [busy, rare, single] = [loadedActor(1), loadedActor(AUDIT_ACTORS), loadedActor(AUDIT_ACTORS - 1)]

/** Each filter by itself, common and rare, and combinations. */
const FILTERS: Record<string, string>[] = [
  {},
  { failedOnly: 'true' },
  { impersonatedOnly: 'true' },
  { hideSignIns: 'true' },
  { procedure: 'auth.signIn' },
  { procedure: 'no.such' },
  { actorId: busy },
  { actorId: rare },
  { actorId: single },
  { from: month(AUDIT_MONTHS), to: month(AUDIT_MONTHS - 1) },
  { q: 'signin' },
  { q: 'part.' },
  { q: 'actor.77' },
  { q: `actor.${AUDIT_ACTORS}@` },
  { q: `actor.${AUDIT_ACTORS - 1}@` },
  { q: 'audit.example' },
  { q: 'nothing like it' },
  { failedOnly: 'true', impersonatedOnly: 'true' },
  { failedOnly: 'true', hideSignIns: 'true', procedure: 'user.create' },
  { actorId: busy, hideSignIns: 'true', failedOnly: 'true' },
  { actorId: rare, failedOnly: 'true' },
  { q: 'audit.example', failedOnly: 'true', impersonatedOnly: 'true' },
  { q: 'audit.example', failedOnly: 'true' },
  { q: 'actor.77', hideSignIns: 'true' },
  { q: 'part.', failedOnly: 'true', to: month(AUDIT_MONTHS - 2) },
  { q: `actor.${AUDIT_ACTORS - 1}@`, hideSignIns: 'true', to: month(AUDIT_MONTHS - 3) },
  { impersonatedOnly: 'true', to: month(AUDIT_MONTHS - 2) },
]

/** The first hundred pages of the audit log with each filter, one request at a time. */
export const measureAuditLog: Section = async function* (context) {
  const client = await signIn(context, 'organization')
  for (const filter of FILTERS) {
    const paths = Array.from(
      { length: PAGES },
      (_, at) => `/v1/audit-log?${new URLSearchParams({ ...filter, page: String(at + 1) })}`,
    )
    const [first = ''] = paths
    await Promise.all(Array.from({ length: WARM_UP_REQUESTS }, () => readPage(client, first)))
    yield {
      what: `GET ${first} to ${PAGES}`,
      reference: `${count(context.database.size.auditEntries)} entries`,
      ...quantile(await timesOf(client, paths), 0.95),
      wanted: { atMost: 50 },
    }
  }
}
