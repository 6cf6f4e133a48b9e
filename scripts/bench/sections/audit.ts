import { decodeJwt } from 'jose'
import type { ApiClient } from '../../../services/testing/client.ts'
import { loadedActor } from '../../../services/testing/load/audit-log.ts'
import type { Context } from '../context.ts'
import { type Figure, quantile } from '../figures.ts'
import { signIn } from '../stage/accounts.ts'
import { AUDIT_ACTORS, AUDIT_MONTHS, ensureAuditLog } from '../stage/records.ts'
import { readPage } from './lists.ts'

const PATH = '/v1/audit-log'
const PAGES = 100
const WANTED_MS = 50
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
export async function measureAuditLog(context: Context): Promise<Figure[]> {
  const { database, services, account, auditEntries, progress } = context
  const client = await signIn(services.identity.url, account, services.organization.url)
  const { org } = decodeJwt(client.accessToken ?? '')
  await ensureAuditLog(database, { orgId: String(org), count: auditEntries, progress })
  const figures: Figure[] = []
  for (const search of SEARCHES) {
    const times = await timesOf(client, search)
    const p95 = quantile(times, 0.95)
    const name = new URLSearchParams(search).toString()
    progress(`Audit log: ${name || 'no filter'} ${p95.toFixed(1)} ms`)
    figures.push({
      what: `GET ${PATH}${name === '' ? '' : `?${name}`}`,
      ours: `${quantile(times, 0.5).toFixed(1)} ms median`,
      reference: `${PAGES} pages of ${auditEntries.toLocaleString('en-US')} entries`,
      result: `${p95.toFixed(1)} ms p95`,
      wanted: `≤ ${WANTED_MS} ms`,
      met: p95 <= WANTED_MS,
    })
  }
  return figures
}

async function timesOf(client: ApiClient, search: Record<string, string>): Promise<number[]> {
  const get = (page: number) => readPage(client, `${PATH}?${new URLSearchParams({ ...search, page: String(page) })}`)
  await Promise.all(Array.from({ length: WARM_UP_REQUESTS }, () => get(1)))
  const times: number[] = []
  for (let page = 1; page <= PAGES; page++) times.push((await get(page)).ms)
  return times
}
