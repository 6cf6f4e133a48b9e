import { describe, expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { until } from '../../testing/until.ts'
import { connect } from '../db/client.ts'
import { PipelinedReads, type Reads } from '../db/pipelined-reads.ts'
import { createLog } from '../log/log.ts'
import type { DocumentRow, PageWindow } from './pagination.ts'
import { Pagination } from './pagination.ts'

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 2, applicationName: 'pagination-test' })
db.beforeDrop(() => sql.end({ timeout: 1 }))
const log = createLog({ service: 'test', version: '0', level: 'silent' })

let now = Date.parse('2026-01-01T00:00:00Z')
const replica = () => new Pagination({ sql, reads: new PipelinedReads(sql), clock: () => now, log })

/** A list of numbers, largest first, that grows and shrinks; it records the requested windows. */
class Numbers {
  readonly windows: PageWindow[] = []
  #numbers: number[]

  constructor(count: number) {
    this.#numbers = Array.from({ length: count }, (_, index) => count - index)
  }

  grow(count: number): void {
    for (let n = 0; n < count; n++) this.#numbers.unshift((this.#numbers[0] ?? 0) + 1)
  }

  remove(from: number, to: number): void {
    this.#numbers = this.#numbers.filter((number) => number < from || number > to)
  }

  readonly readWindow = async (window: PageWindow): Promise<DocumentRow[]> => {
    this.windows.push(window)
    const { after, offset, limit } = window
    const rest = this.#numbers.filter((number) => after === undefined || number < Number(after))
    return rest.slice(offset, offset + limit).map((number) => ({ position: String(number), document: String(number) }))
  }
}

const run: Reads['short'] = async (rows) => rows(sql)
let sessions = 0
const newSession = () => ({ sessionId: `session ${++sessions}` })
type Session = ReturnType<typeof newSession>
const between = (high: number, low: number) => Array.from({ length: high - low + 1 }, (_, index) => high - index)

async function read(
  pagination: Pagination,
  caller: Session,
  numbers: Numbers,
  query: { page: number; pageSize?: number; q?: string },
): Promise<{ items: number[]; hasMore: boolean }> {
  const request = { caller, query: { pageSize: 10, ...query }, read: run, longRead: run }
  return JSON.parse((await pagination.json(request, 'numbers', numbers.readWindow)).text)
}

/** The tests share a table, so each list whose cursor is queried has a different length and different positions. */
const written = (page: number, endPosition: number) => async () => {
  const rows = await db.owner`
    select 1 from sourcing.page_cursors where page = ${page} and end_position = ${String(endPosition)}`
  return rows.length > 0
}

describe('pagination', () => {
  test('consecutive pages of a growing list repeat and skip nothing, and none uses an offset', async () => {
    const [pagination, caller, numbers] = [replica(), newSession(), new Numbers(100)]
    const items: number[] = []
    for (let page = 1; page <= 20; page++) {
      const answer = await read(pagination, caller, numbers, { page })
      items.push(...answer.items)
      numbers.grow(3)
      if (!answer.hasMore) break
    }
    expect(items).toEqual(between(100, 1))
    expect(numbers.windows.every(({ offset }) => offset === 0)).toBe(true)
  })

  test('consecutive pages of a shrinking list skip nothing that is left', async () => {
    const [pagination, caller, numbers] = [replica(), newSession(), new Numbers(50)]
    expect((await read(pagination, caller, numbers, { page: 1 })).items).toEqual(between(50, 41))
    numbers.remove(45, 50)
    expect((await read(pagination, caller, numbers, { page: 2 })).items).toEqual(between(40, 31))
  })

  test('after the list shrank, no two of the pages 2, 3 and 4 have the same records, in any order', async () => {
    for (const order of [
      [2, 3, 4],
      [4, 3, 2],
      [3, 2, 4],
      [2, 4, 3],
    ]) {
      const [pagination, caller, numbers] = [replica(), newSession(), new Numbers(50)]
      for (const page of [1, 2, 3, 4, 5]) await read(pagination, caller, numbers, { page })
      numbers.remove(6, 40)
      const items: number[] = []
      for (const page of order) items.push(...(await read(pagination, caller, numbers, { page })).items)
      expect([order, items]).toEqual([order, between(5, 1)])
    }
  })

  test('a page that is neither the last one read nor the next one is found by its offset in the current list', async () => {
    const [pagination, caller, numbers] = [replica(), newSession(), new Numbers(100)]
    for (const page of [1, 2, 3, 4]) await read(pagination, caller, numbers, { page })
    numbers.grow(5)
    expect((await read(pagination, caller, numbers, { page: 3 })).items).toEqual(between(85, 76))
    numbers.grow(5)
    expect((await read(pagination, caller, numbers, { page: 7 })).items).toEqual(between(50, 41))
    numbers.grow(5)
    expect((await read(pagination, caller, numbers, { page: 8 })).items).toEqual(between(40, 31))
  })

  test('the same page again begins where it began; page 1 begins at the start of the current list', async () => {
    const [pagination, caller, numbers] = [replica(), newSession(), new Numbers(100)]
    for (const page of [3, 4]) {
      const first = await read(pagination, caller, numbers, { page })
      numbers.grow(5)
      expect(await read(pagination, caller, numbers, { page })).toEqual(first)
    }
    expect((await read(pagination, caller, numbers, { page: 1 })).items).toEqual(between(110, 101))
    numbers.grow(1)
    expect((await read(pagination, caller, numbers, { page: 1 })).items).toEqual(between(111, 102))
    expect((await read(pagination, caller, numbers, { page: 2 })).items).toEqual(between(101, 92))
  })

  test('a full last page has no more', async () => {
    const [pagination, caller, numbers] = [replica(), newSession(), new Numbers(20)]
    expect(await read(pagination, caller, numbers, { page: 1 })).toEqual({ items: between(20, 11), hasMore: true })
    expect(await read(pagination, caller, numbers, { page: 2 })).toEqual({ items: between(10, 1), hasMore: false })
    const another = newSession()
    expect(await read(pagination, another, numbers, { page: 2 })).toEqual({ items: between(10, 1), hasMore: false })
  })

  test('a page past the end is empty, and so is the one after it; both are found by offset after the list has grown', async () => {
    const [pagination, caller, numbers] = [replica(), newSession(), new Numbers(15)]
    for (const page of [2_147_483_646, 2_147_483_647, 4, 3]) {
      expect(await read(pagination, caller, numbers, { page })).toEqual({ items: [], hasMore: false })
    }
    numbers.grow(30)
    expect((await read(pagination, caller, numbers, { page: 4 })).items).toEqual(between(15, 6))
  })

  test('pages 1 and 2 of an empty list are empty; after the list has grown, page 2 begins at its beginning', async () => {
    const [pagination, caller, numbers] = [replica(), newSession(), new Numbers(0)]
    for (const page of [1, 2, 1])
      expect(await read(pagination, caller, numbers, { page })).toEqual({ items: [], hasMore: false })
    numbers.grow(15)
    expect((await read(pagination, caller, numbers, { page: 2 })).items).toEqual(between(15, 6))
  })

  test('two readers of one session both get consistent pages', async () => {
    const [pagination, caller, numbers] = [replica(), newSession(), new Numbers(100)]
    const pages = [1, 2, 3, 4, 5]
    const answers = await Promise.all([...pages, ...pages].map((page) => read(pagination, caller, numbers, { page })))
    for (const [index, { items }] of answers.entries()) {
      const top = 100 - (index % pages.length) * 10
      expect(items).toEqual(between(top, top - 9))
    }
  })

  test('a cursor belongs to one session, list, filter set and page size', async () => {
    const [pagination, caller, numbers] = [replica(), newSession(), new Numbers(100)]
    await read(pagination, caller, numbers, { page: 1 })
    for (const [by, query] of [
      [newSession(), { page: 2 }],
      [caller, { page: 2, pageSize: 5 }],
      [caller, { page: 2, q: 'x' }],
    ] as const) {
      await read(pagination, by, numbers, query)
      expect(numbers.windows.at(-1)?.after).toBeUndefined()
    }
    const request = { caller, query: { page: 2, pageSize: 10 }, read: run, longRead: run }
    await pagination.json(request, 'others', numbers.readWindow)
    expect(numbers.windows.at(-1)?.after).toBeUndefined()
  })

  test('one cursor for each list is stored, and every replica continues at it', async () => {
    // No other test has this many numbers, so the positions identify the cursor.
    const [first, second, caller, numbers] = [replica(), replica(), newSession(), new Numbers(7770)]
    const keysOfEnds = (...ends: number[]) =>
      db.owner<{ key: string }[]>`select key from sourcing.page_cursors where end_position = any(${ends.map(String)})`
    for (const page of [1, 2, 3]) await read(first, caller, numbers, { page })
    await until(written(3, 7741))
    const cursor = await keysOfEnds(7741)
    numbers.grow(7)
    expect((await read(second, caller, numbers, { page: 4 })).items).toEqual(between(7740, 7731))
    await until(written(4, 7731))
    expect((await read(first, caller, numbers, { page: 5 })).items).toEqual(between(7730, 7721))
    await until(written(5, 7721))
    expect(await keysOfEnds(7761, 7751, 7741, 7731, 7721)).toEqual(cursor)
  })

  test('a page is found by its offset if its cursor is 15 minutes old or lost', async () => {
    const [caller, numbers] = [newSession(), new Numbers(3000)]
    await read(replica(), caller, numbers, { page: 1 })
    await until(written(1, 2991))
    now += 15 * 60 * 1000
    await read(replica(), caller, numbers, { page: 2 })
    expect(numbers.windows.at(-1)).toEqual({ after: undefined, offset: 9, limit: 12 })
    await until(written(2, 2981))
    await db.owner`truncate sourcing.page_cursors`
    await read(replica(), caller, numbers, { page: 3 })
    expect(numbers.windows.at(-1)).toEqual({ after: undefined, offset: 19, limit: 12 })
  })

  test('a page is answered when its cursor cannot be written; a warning is logged', async () => {
    const broken = connect(db.urlOf('sourcing'), { max: 1, applicationName: 'pagination-test' })
    const lines: unknown[] = []
    const write = (line: string) => void lines.push(JSON.parse(line))
    const warnings = createLog({ service: 'test', version: '0', level: 'warn', destination: { write } })
    const reads = new PipelinedReads(broken)
    const pagination = new Pagination({ sql: broken, reads, clock: () => now, log: warnings })
    await broken.end({ timeout: 1 })
    const answer = await read(pagination, newSession(), new Numbers(100), { page: 1 })
    expect(answer).toMatchObject({ hasMore: true })
    await until(() => lines.length > 0)
    expect(lines[0]).toMatchObject({ msg: 'page cursors were not written; their next pages will be found by offset' })
  })
})
