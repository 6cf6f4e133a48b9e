import { describe, expect, test } from 'bun:test'
import type { AuditFilters } from '../../../proto/http/organization/audit-log.ts'
import { PROCEDURES } from '../../../proto/procedures.ts'
import { connect } from '../../kit/db/client.ts'
import { contains } from '../../kit/db/conditions.ts'
import type { TimeKey } from '../../kit/pagination/keysets.ts'
import { findNear } from '../../kit/pagination/search.ts'
import { testDatabase } from '../../testing/database.ts'
import { loadAuditLog, loadedActor } from '../../testing/load/audit-log.ts'
import { workOf } from '../../testing/query-plans.ts'
import { searchFor } from './list.ts'
import { findEntry, listEntries } from './queries.ts'

const [ENTRIES, MONTHS, ACTORS] = [30_000, 14, 1000]
const ORG = 'org_large'
const db = await testDatabase()
await db.owner`insert into organization.organizations (id, name, roles, region_code, engagement, created_at)
  values (${ORG}, 'Large', '{IP_OWNER}', 'NO', 'DIRECT', now())`
await loadAuditLog(db.owner, { orgId: ORG, count: ENTRIES, months: MONTHS, actors: ACTORS, procedures: PROCEDURES })
const sql = connect(db.urlOf('organization'), { max: 2, applicationName: 'test' })
db.beforeDrop(() => sql.end({ timeout: 1 }))

const NOW = new Date().toISOString()

const month = (ago: number) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)).toISOString()
}
const [busy, rare, single] = [loadedActor(1), loadedActor(ACTORS), loadedActor(ACTORS - 1)]

/** Common, rare and contradictory filters, and windows in the oldest months. */
const SEARCHES: AuditFilters[] = [
  {},
  { failedOnly: true },
  { impersonatedOnly: true },
  { hideSignIns: true },
  { impersonatedOnly: true, failedOnly: true },
  { procedure: 'auth.signIn' },
  { procedure: 'auth.signIn', hideSignIns: true },
  { procedure: 'user.create', failedOnly: true },
  { procedure: 'user.create', impersonatedOnly: true },
  { procedure: 'no.such' },
  { actorId: busy },
  { actorId: busy, hideSignIns: true, failedOnly: true },
  { actorId: busy, procedure: 'part.publish', failedOnly: true },
  { actorId: rare },
  { actorId: single },
  { actorId: rare, failedOnly: true },
  { actorId: 'user_unknown' },
  { q: 'signin' },
  { q: 'part.' },
  { q: 'actor.1@' },
  { q: 'ACTOR.99' },
  { q: `actor.${ACTORS}@` },
  { q: `actor.${ACTORS - 1}@` },
  { q: 'audit.example' },
  { q: 'a' },
  { q: 'audit.example', failedOnly: true, impersonatedOnly: true },
  { q: 'audit.example', procedure: 'user.create', failedOnly: true },
  { q: 'zzz' },
  { q: 'actor.7', failedOnly: true },
  { q: 'user.', impersonatedOnly: true, hideSignIns: true },
  { from: month(MONTHS), to: month(MONTHS - 1) },
  { to: month(MONTHS - 2), hideSignIns: true, failedOnly: true },
  { to: month(MONTHS - 1), q: 'actor.99', hideSignIns: true },
  { from: month(2), to: month(2), actorId: busy },
]
const PAGES = [
  { limit: 11, offset: 0 },
  { limit: 51, offset: 0 },
  { limit: 51, offset: 4950 },
]

const MOST_KEYS = Math.max(...PAGES.map(({ limit, offset }) => offset + limit))

/** The expected keys of all pages, by one scan with the filters as conditions. */
const expectedKeys = (filters: AuditFilters) => db.owner<TimeKey[]>`
  select e.timestamp, e.id
  from organization.audit_log e join organization.users u on u.id = e.actor_id
  where e.org_id = ${ORG}
    and (${filters.q ?? null}::text is null or e.procedure ilike ${contains(filters.q ?? '')} or u.email ilike ${contains(filters.q ?? '')})
    and (${filters.procedure ?? null}::text is null or e.procedure = ${filters.procedure ?? null})
    and (${filters.actorId ?? null}::text is null or e.actor_id = ${filters.actorId ?? null})
    and (${!filters.failedOnly} or not e.success) and (${!filters.impersonatedOnly} or e.grant_id is not null)
    and (${!filters.hideSignIns} or not (e.success and e.procedure = 'auth.signIn'))
    and e.timestamp >= ${filters.from ?? '-infinity'} and e.timestamp <= ${filters.to ?? 'infinity'}
  order by e.timestamp desc, e.id desc limit ${MOST_KEYS}`

const named = SEARCHES.map((filters) => [JSON.stringify(filters), filters] as const)

describe(`over ${ENTRIES} entries of one organization in ${MONTHS} months`, () => {
  test.each(named)('%s lists the entries that match', async (_, filters) => {
    const search = await searchFor(sql, ORG, filters, NOW)
    const expected = [...(await expectedKeys(filters))]
    for (const { limit, offset } of PAGES) {
      const { rows } = await findNear(sql, search, { after: undefined, offset, limit })
      expect([...rows]).toEqual(expected.slice(offset, offset + limit))
    }
  })

  /** Upper bound of the rows of one plan node; a scan of the table or a sort of all entries is above it. */
  const MOST_ROWS = 25_000

  test.each(named)('%s scans no whole table and sorts at most a few pages', async (_, filters) => {
    for (const { limit, offset } of PAGES) {
      const wanted = limit + offset
      const work = await workOf(db.urlOf('organization'), async (sent) => {
        const search = await searchFor(sent, ORG, filters, NOW)
        await findNear(sent, search, { after: undefined, offset: 0, limit: wanted })
      })
      expect(work.scannedWhole.filter((table) => table.startsWith('audit_log'))).toEqual([])
      const bounded = work.mostRows < Math.min(MOST_ROWS, 20 * wanted + 10_000)
      expect({ ...work, bounded }).toEqual({ ...work, bounded: true })
    }
  })

  test('entries are found by keys, and a single entry by id, without a scan of a table', async () => {
    const search = await searchFor(sql, ORG, {}, NOW)
    const { rows: keys } = await findNear(sql, search, { after: undefined, offset: 0, limit: 50 })
    const [first] = keys
    for (const read of [listEntries(sql, ORG, keys), findEntry(sql, ORG, first?.id ?? '')]) await read
    const work = await workOf(db.urlOf('organization'), async (sent) => {
      await listEntries(sent, ORG, keys)
      await findEntry(sent, ORG, first?.id ?? '')
    })
    expect(work.scannedWhole.filter((table) => table.startsWith('audit_log'))).toEqual([])
    expect({ ...work, bounded: work.mostRows < 200 }).toEqual({ ...work, bounded: true })
  })
})
