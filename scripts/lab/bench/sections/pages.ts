import { count, quantile, rounds, timeRatio } from '../compare.ts'
import type { Section } from '../context.ts'
import { comparePage, lastPage, readPage, timeOf, timesOf } from '../lists.ts'
import { signIn } from '../services.ts'

const AT_EACH_END = 100
const JUMPS = 12
/** Times of far and large lists divided by those of near and small ones. */
const FLAT = 1.5

/** Common and rare words of one letter, of two and of more; one that every part has, and one that none has. */
const WORDS = ['e', 'q', 'ri', 'qx', 'REF', 'no part is called so']

const pathOf = (page: number) => `/v1/parts?page=${page}`

/** Lists far from their first page: read page after page, jumped into, searched, and compared with the database. */
export const measurePages: Section = async function* (context) {
  const { database, pace, platformOf } = context
  const small = await platformOf('small')
  /** A session that has read only one page. */
  const sessionAt = async (page: number) => {
    const client = await signIn(context, 'sourcing')
    await readPage(client, pathOf(page))
    return client
  }
  const last = await lastPage(await sessionAt(1), pathOf, database.size.parts / 10)

  const passFrom = async (first: number) => {
    const client = await sessionAt(Math.max(1, first - 1))
    const pages = Array.from({ length: AT_EACH_END }, (_, at) => pathOf(first + at))
    return (await timesOf(client, pages)).reduce((sum, ms) => sum + ms)
  }
  yield {
    what: `GET /v1/parts, page after page: the last ${AT_EACH_END} of ${count(last)} ÷ the first`,
    ...(await timeRatio(
      rounds(3),
      () => passFrom(last - AT_EACH_END + 1),
      () => passFrom(1),
    )),
    wanted: { atMost: FLAT },
  }

  const targets = Array.from({ length: JUMPS }, (_, at) => Math.ceil((last * (at + 1)) / JUMPS))
  const times = await Array.fromAsync(targets, async (page) => timeOf(await sessionAt(1), pathOf(page)))
  yield {
    what: 'GET /v1/parts, a jump to any page',
    reference: `${JUMPS} pages up to the last of ${count(last)}`,
    ...quantile(times, 1),
    wanted: { atMost: 100 },
  }

  const [large, few] = [await signIn(context, 'sourcing'), await signIn(small, 'sourcing')]
  for (const q of WORDS) {
    const path = `/v1/parts?${new URLSearchParams({ q })}`
    await Promise.all([readPage(large, path), readPage(few, path)])
    yield {
      what: `GET ${path}: ${count(database.size.parts)} ÷ ${count(small.database.size.parts)} parts`,
      ...(await timeRatio(
        rounds(20),
        () => timeOf(large, path),
        () => timeOf(few, path),
      )),
      wanted: { atMost: FLAT },
    }
  }

  // The session has read the page before, as in reading page after page.
  for (const page of [1000, last]) {
    const client = await sessionAt(page - 1)
    yield* comparePage({ database, pace, client, path: pathOf(page), atLeast: 0.4 })
  }
}
