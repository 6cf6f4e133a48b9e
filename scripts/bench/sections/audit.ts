import { loadedActor } from '../../../services/testing/load/audit-log.ts'
import { timeLimit } from '../compare.ts'
import type { Section } from '../context.ts'
import { readPage, timesOf } from '../lists.ts'
import { signIn } from '../stage/accounts.ts'
import { AUDIT_ACTORS, AUDIT_MONTHS, ensureAuditLog } from '../stage/database.ts'

const PAGES = 100
/** Connections prepare their statements, and Postgres plans them, before the measurement. */
const WARM_UP_REQUESTS = 24

const month = (ago: number) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)).toISOString()
}
const [busy, rare, single] = [loadedActor(1), loadedActor(AUDIT_ACTORS), loadedActor(AUDIT_ACTORS - 1)]

/** Each filter by itself, common and rare, and combinations. */
const SEARCHES: Record<string, string>[] = [
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

/** The first hundred pages of the audit log under each filter, one request at a time. */
export const measureAuditLog: Section = async function* (context) {
  await ensureAuditLog(context.database, context)
  const client = await signIn(context, 'organization')
  for (const search of SEARCHES) {
    const pathOf = (page: number) => `/v1/audit-log?${new URLSearchParams({ ...search, page: String(page) })}`
    await Promise.all(Array.from({ length: WARM_UP_REQUESTS }, () => readPage(client, pathOf(1))))
    yield timeLimit({
      what: `GET ${pathOf(1)} to ${PAGES}`,
      times: await timesOf(
        client,
        Array.from({ length: PAGES }, (_, at) => pathOf(at + 1)),
      ),
      data: `${context.database.size.auditEntries.toLocaleString('en-US')} entries`,
      statistic: 'p95',
      atMostMs: 50,
    })
  }
}
