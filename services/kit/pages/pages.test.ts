import { describe, expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { until } from '../../testing/until.ts'
import type { Caller } from '../auth/caller.ts'
import { connect } from '../db/client.ts'
import { createLog } from '../log/log.ts'
import { Pages, type PageWindow } from './pages.ts'

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 2, applicationName: 'pages-test' })
db.beforeDrop(() => sql.end({ timeout: 1 }))
const log = createLog({ service: 'test', version: '0', level: 'silent' })

let now = Date.parse('2026-01-01T00:00:00Z')
const replica = () => new Pages({ sql, clock: () => now, log })

/** A list of numbers, largest first, that can grow at its beginning; tells what it was asked. */
class Numbers {
  readonly asked: PageWindow[] = []
  newest: number

  constructor(count: number) {
    this.newest = count
  }

  readonly rowsIn = async (window: PageWindow) => {
    this.asked.push(window)
    const start = (window.after === undefined ? this.newest : Number(window.after) - 1) - window.offset
    const numbers = Array.from({ length: window.limit }, (_, at) => start - at).filter((number) => number > 0)
    return numbers.map((number) => ({ position: String(number), document: String(number) }))
  }
}

let sessions = 0
const newSession = () => ({ sessionId: `session ${++sessions}` }) as unknown as Caller

async function read(
  pages: Pages,
  caller: Caller,
  numbers: Numbers,
  query: { page: number; pageSize: number; q?: string },
) {
  const { text } = await pages.read({ caller, list: 'numbers', query }, numbers.rowsIn)
  return JSON.parse(text) as { items: number[]; hasMore: boolean }
}

/** Tests share the table: each list is of a length of its own, and so are its positions. */
const written = (page: number, after: number) => async () => {
  const [row] = await db.owner`
    select 1 from sourcing.page_anchors where page = ${page} and after = ${String(after)}`
  return row !== undefined
}

describe('pages', () => {
  test('read one after the other begin where the one before ended: nothing is skipped, repeated or counted', async () => {
    const [pages, caller, numbers] = [replica(), newSession(), new Numbers(100)]
    const items: number[] = []
    for (let page = 1; ; page++) {
      const answer = await read(pages, caller, numbers, { page, pageSize: 10 })
      items.push(...answer.items)
      numbers.newest += 3
      if (!answer.hasMore) break
    }
    expect(items).toEqual(Array.from({ length: 100 }, (_, n) => 100 - n))
    expect(numbers.asked.every(({ offset }) => offset === 0)).toBe(true)
  })

  test('are counted from now where nobody left an anchor, and from the nearest one where somebody did', async () => {
    const [pages, caller, numbers] = [replica(), newSession(), new Numbers(100)]
    expect((await read(pages, caller, numbers, { page: 3, pageSize: 10 })).items[0]).toBe(80)
    expect(numbers.asked.at(-1)).toMatchObject({ after: undefined, offset: 20 })
    numbers.newest += 5
    expect((await read(pages, caller, numbers, { page: 6, pageSize: 10 })).items[0]).toBe(50)
    expect(numbers.asked.at(-1)).toMatchObject({ after: '71', offset: 20 })
  })

  test('belong to a session, a list, filters and a page size', async () => {
    const [pages, caller, numbers] = [replica(), newSession(), new Numbers(100)]
    await read(pages, caller, numbers, { page: 1, pageSize: 10 })
    for (const [by, query] of [
      [newSession(), { page: 2, pageSize: 10 }],
      [caller, { page: 2, pageSize: 5 }],
      [caller, { page: 2, pageSize: 10, q: 'x' }],
    ] as const) {
      await read(pages, by, numbers, query)
      expect(numbers.asked.at(-1)?.after).toBeUndefined()
    }
    const elsewhere = { caller, list: 'others', query: { page: 2, pageSize: 10 } }
    await pages.read(elsewhere, numbers.rowsIn)
    expect(numbers.asked.at(-1)?.after).toBeUndefined()
  })

  test('are known to every replica', async () => {
    const [first, second, caller, numbers] = [replica(), replica(), newSession(), new Numbers(1000)]
    await read(first, caller, numbers, { page: 1, pageSize: 10 })
    await until(written(2, 991))
    numbers.newest += 7
    expect((await read(second, caller, numbers, { page: 2, pageSize: 10 })).items[0]).toBe(990)
  })

  test('of an older reading are forgotten when the list is read anew', async () => {
    const [caller, numbers] = [newSession(), new Numbers(2000)]
    await read(replica(), caller, numbers, { page: 3, pageSize: 10 })
    await until(written(4, 1971))
    numbers.newest += 5
    await read(replica(), caller, numbers, { page: 1, pageSize: 10 })
    await until(written(2, 1996))
    expect(await written(4, 1971)()).toBe(false)
    expect((await read(replica(), caller, numbers, { page: 4, pageSize: 10 })).items[0]).toBe(1975)
  })

  test('are counted again after 15 minutes', async () => {
    const [caller, numbers] = [newSession(), new Numbers(3000)]
    await read(replica(), caller, numbers, { page: 1, pageSize: 10 })
    await until(written(2, 2991))
    now += 15 * 60 * 1000
    await read(replica(), caller, numbers, { page: 2, pageSize: 10 })
    expect(numbers.asked.at(-1)).toMatchObject({ after: undefined, offset: 10 })
  })

  test('need no write to be answered: one that fails is logged, and the page counted', async () => {
    const broken = connect(db.urlOf('sourcing'), { max: 1, applicationName: 'pages-test' })
    const lines: unknown[] = []
    const write = (line: string) => void lines.push(JSON.parse(line))
    const noisy = createLog({ service: 'test', version: '0', level: 'warn', destination: { write } })
    const pages = new Pages({ sql: broken, clock: () => now, log: noisy })
    await broken.end({ timeout: 1 })
    const answer = await read(pages, newSession(), new Numbers(100), { page: 1, pageSize: 10 })
    expect(answer).toMatchObject({ hasMore: true })
    await until(() => lines.length > 0)
    expect(lines[0]).toMatchObject({ msg: 'page anchors were not written; their pages will be counted' })
  })

  test('leave no anchor where the list ends', async () => {
    const [caller, numbers] = [newSession(), new Numbers(4000)]
    expect(await read(replica(), caller, numbers, { page: 400, pageSize: 10 })).toMatchObject({ hasMore: false })
    await read(replica(), caller, numbers, { page: 1, pageSize: 10 })
    await until(written(2, 3991))
    expect(await written(401, 1)()).toBe(false)
  })
})
