import { decodeJwt } from 'jose'
import type { ApiClient } from '../../../services/testing/client.ts'
import { loadedActor } from '../../../services/testing/load/audit-log.ts'
import type { Bench } from '../bench.ts'
import type { Figure } from '../figures.ts'
import { AUDIT_ACTORS, AUDIT_MONTHS, ensureAuditLog } from '../stage/audit-log.ts'
import { signIn } from '../stage/people.ts'

const PATH = '/v1/audit-log'
const PAGES = 100
const WANTED_MS = 50
/** Connections prepare their statements, and Postgres plans them, before anything is measured. */
const WARM_UP_REQUESTS = 24

const month = (ago: number) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)).toISOString()
}
const [busy, rare, single] = [loadedActor(1), loadedActor(AUDIT_ACTORS), loadedActor(AUDIT_ACTORS - 1)]

/** Each filter by itself, common and rare, and what they give together. */
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
export async function measureAuditLog(bench: Bench): Promise<Figure[]> {
  const { database, services, account, auditEntries, progress } = bench
  const { accessToken = '' } = await signIn(services.identity.url, account)
  await ensureAuditLog(database, { orgId: String(decodeJwt(accessToken).org), entries: auditEntries, progress })
  const client = await signIn(services.identity.url, account)
  client.url = services.organization.url
  const figures: Figure[] = []
  for (const search of SEARCHES) {
    const times = await timesOf(client, search)
    const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)]
    const name = new URLSearchParams(search).toString()
    progress(`Audit log: ${name || 'everything'} ${p95.toFixed(1)} ms`)
    figures.push({
      what: `GET ${PATH}${name === '' ? '' : `?${name}`}`,
      ours: `${p50.toFixed(1)} ms in the middle`,
      reference: `${PAGES} pages of ${auditEntries.toLocaleString('en-US')} entries`,
      result: `${p95.toFixed(1)} ms p95`,
      wanted: `≤ ${WANTED_MS} ms`,
      met: p95 <= WANTED_MS,
    })
  }
  return figures
}

async function timesOf(client: ApiClient, search: Record<string, string>): Promise<number[]> {
  const get = async (page: number) => {
    const answer = await client.get(`${PATH}?${new URLSearchParams({ ...search, page: String(page) })}`)
    if (answer.status !== 200) throw new Error(`audit log: ${answer.status} ${answer.text}`)
  }
  await Promise.all(Array.from({ length: WARM_UP_REQUESTS }, () => get(1)))
  const times: number[] = []
  for (let page = 1; page <= PAGES; page++) {
    const startedMs = performance.now()
    await get(page)
    times.push(performance.now() - startedMs)
  }
  return times.sort((a, b) => a - b)
}

const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
