import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { InboxItem } from '../../../proto/http/sourcing/inbox.ts'
import { PERMISSIONS } from '../../../proto/permissions.ts'
import { connect } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { loadEndedTasks, loadInbox } from '../../testing/load/inbox.ts'
import { workOf } from '../../testing/query-plans.ts'
import { listTasks } from '../cases/tasks/queries.ts'
import { listItems } from './queries.ts'
import { SOURCES } from './sources.ts'

setDefaultTimeout(180_000)
/** The records of each kind. With four fifths of them the planner looks up each RFQ of a package by its key. */
const COUNT = 500
/** The lines of each package. */
const LINES = 60
const db = await testDatabase()
const [orgId, userId] = ['org_large', 'user_1']
await loadInbox(db.owner, { orgId, userId, count: COUNT, prefix: 'a_' })
await loadEndedTasks(db.owner, { orgId, count: COUNT, prefix: 'a_' })
// The records of another organization.
await loadInbox(db.owner, { orgId: 'org_packages', userId, count: COUNT, prefix: 'p_', packageLines: LINES })
const url = db.urlOf('sourcing')
const sql = connect(url, { max: 1, applicationName: 'test-inbox' })
db.beforeDrop(() => sql.end({ timeout: 1 }))

const reader = { orgId, userId, permissions: new Set(PERMISSIONS) }
const page = { after: undefined, limit: 11, offset: 0 }
const isItem = TypeCompiler.Compile(InboxItem)

describe(`of an organization with ${16 * COUNT} open records`, () => {
  test.each(SOURCES.map((source) => [source.view, source] as const))(
    '%s reads what a page needs',
    async (_, source) => {
      const work = await workOf(url, (tx) => listItems(tx, reader, [source], page))
      // An RFQ that is OPEN is found by its newest offer, beyond those for RFQs that have closed.
      const mostRows = source.view === 'inbox_offered_rfqs' ? 4 * COUNT : 50
      expect([work.scannedWhole, work.busiest, work.mostRows <= mostRows]).toEqual([[], work.busiest, true])
    },
  )

  test('the first page and one far behind read no more than each kind needs', async () => {
    const [last] = (await listItems(sql, reader, SOURCES, { ...page, limit: 1, offset: 5 * COUNT })) as {
      position: string
    }[]
    for (const after of [undefined, last?.position]) {
      const work = await workOf(url, (tx) => listItems(tx, reader, SOURCES, { ...page, after }))
      expect([work.scannedWhole, work.busiest, work.mostRows <= 4 * COUNT]).toEqual([[], work.busiest, true])
    }
  })

  test('whose RFQs are lines of large packages has an item for each package, and reads the lines of a page', async () => {
    const ofPackages = { ...reader, orgId: 'org_packages' }
    const rows = await listItems(sql, ofPackages, SOURCES, { ...page, limit: 20_000 })
    for (const { document } of rows) expect(isItem.Check(JSON.parse(document))).toBe(true)
    expect(rows.filter(({ document }) => document.includes('"rfqPackage"')).length).toBe(30)
    for (const source of SOURCES.filter(({ hasPackages }) => hasPackages)) {
      const work = await workOf(url, (tx) => listItems(tx, ofPackages, [source], page))
      const mostRows = source.view === 'inbox_offered_rfqs' ? 4 * COUNT : page.limit * LINES
      expect([work.scannedWhole, work.busiest, work.mostRows <= mostRows]).toEqual([[], work.busiest, true])
    }
  })

  test('each item matches its schema, and all of them have a total order', async () => {
    const rows = await listItems(sql, reader, SOURCES, { ...page, limit: 20_000 })
    expect(rows.length).toBeGreaterThan(9 * COUNT)
    for (const { document } of rows) expect(isItem.Check(JSON.parse(document))).toBe(true)
    const positions = rows.map(({ position }) => position)
    expect(positions).toEqual(positions.toSorted().reverse())
    expect(new Set(positions).size).toBe(positions.length)
    expect(rows.some(({ document }) => document.includes('"p_'))).toBe(false)
    const middle = positions[4 * COUNT] as string
    const next = await listItems(sql, reader, SOURCES, { ...page, after: middle })
    expect(next.map(({ position }) => position)).toEqual(positions.slice(4 * COUNT + 1, 4 * COUNT + 12))
  })

  test.each([
    ['no filter', {}],
    ['a state', { state: 'OPEN' }],
    ['an organization', { assigneeId: orgId }],
    ['a user', { assigneeId: userId }],
  ] as const)('the list of tasks with %s reads a page of its index', async (_, filters) => {
    const work = await workOf(url, (tx) => listTasks(tx, orgId, { ...filters, ...page }))
    expect([work.scannedWhole, work.busiest, work.mostRows <= 50]).toEqual([[], work.busiest, true])
  })
})
