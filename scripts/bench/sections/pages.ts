import { timeLimit, timeRatio } from '../compare.ts'
import type { Context, Section } from '../context.ts'
import { comparePage, lastPage, readPage, timesOf } from '../lists.ts'
import { activateAdministrators, signIn } from '../stage/accounts.ts'
import { openSmallDatabase, SMALL } from '../stage/database.ts'
import { startServices } from '../stage/services.ts'
import { PARTS } from '../statements.ts'
import type { Row } from '../table.ts'

const AT_EACH_END = 100
const PASSES = 3
const JUMPS = 12
const SEARCHES = 20
/** Times of far and large lists divided by those of near and small ones. */
const FLAT = 1.5

/** Common and rare words of one letter, of two and of more; one that every part has, and one that none has. */
const WORDS = ['e', 'q', 'ri', 'qx', 'REF', 'no part is called so']

const pathOf = (page: number) => `/v1/parts?page=${page}`

/** Lists far from their first page: read page after page, jumped into, searched, and compared with the database. */
export const measurePages: Section = async function* (context) {
  const last = await lastPage(await signIn(context, 'sourcing'), pathOf, context.database.size.parts / 10)
  yield await pageAfterPage(context, last)
  yield await jumps(context, last)
  yield* searches(context)
  for (const page of [1000, last]) {
    // The session has read the page before, as in reading page after page.
    const client = await signIn(context, 'sourcing')
    await readPage(client, pathOf(page - 1))
    yield* comparePage(context, { list: PARTS, client, path: pathOf(page), atLeast: 0.4 })
  }
}

/** The first and the last pages, read one after the other in a session of their own. */
async function pageAfterPage(context: Context, last: number): Promise<Row> {
  const sum = (times: readonly number[]) => times.reduce((total, ms) => total + ms, 0)
  const pass = async (first: number) => {
    const client = await signIn(context, 'sourcing')
    await readPage(client, pathOf(Math.max(1, first - 1)))
    return sum(
      await timesOf(
        client,
        Array.from({ length: AT_EACH_END }, (_, at) => pathOf(first + at)),
      ),
    )
  }
  const [near, far]: [number[], number[]] = [[], []]
  for (let round = 0; round < PASSES; round++) {
    near.push(await pass(1))
    far.push(await pass(last - AT_EACH_END + 1))
  }
  const what = `GET /v1/parts, page after page: the last ${AT_EACH_END} of ${last.toLocaleString('en-US')} ÷ the first`
  return timeRatio({ what, ours: far, reference: near, atMost: FLAT })
}

/** Each jump has a session of its own, which has read only the first page before. */
async function jumps(context: Context, last: number): Promise<Row> {
  const times: number[] = []
  for (let jump = 1; jump <= JUMPS; jump++) {
    const client = await signIn(context, 'sourcing')
    await readPage(client, pathOf(1))
    times.push(...(await timesOf(client, [pathOf(Math.ceil((last * jump) / JUMPS))])))
  }
  const data = `${JUMPS} pages up to the last of ${last.toLocaleString('en-US')}`
  return timeLimit({ what: 'GET /v1/parts, a jump to any page', times, data, statistic: 'maximum', atMostMs: 100 })
}

/** The same search over all parts and over a hundred thousand, in turns. */
async function* searches(context: Context): AsyncGenerator<Row> {
  const { database, onStop } = context
  const small = await openSmallDatabase(database, context)
  const services = await startServices(small, onStop)
  await activateAdministrators({ database: small, services })
  const clients = [await signIn(context, 'sourcing'), await signIn({ database: small, services }, 'sourcing')] as const
  const sizes = [database.size.parts, SMALL.parts].map((count) => count.toLocaleString('en-US')).join(' ÷ ')
  for (const q of WORDS) {
    const path = `/v1/parts?${new URLSearchParams({ q })}`
    const [ours, reference]: [number[], number[]] = [[], []]
    await Promise.all(clients.map((client) => readPage(client, path)))
    for (let round = 0; round < SEARCHES; round++) {
      ours.push(...(await timesOf(clients[0], [path])))
      reference.push(...(await timesOf(clients[1], [path])))
    }
    yield timeRatio({ what: `GET /v1/parts?q=${q}: ${sizes} parts`, ours, reference, atMost: FLAT })
  }
  for (const { stop } of Object.values(services)) await stop()
}
