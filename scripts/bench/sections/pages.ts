import type { Context } from '../context.ts'
import { type Figure, median, timeFigure } from '../figures.ts'
import { ensureAccount, signIn } from '../stage/accounts.ts'
import { openSmallDatabase, SMALL_PARTS } from '../stage/database.ts'
import { startServices } from '../stage/services.ts'
import { PARTS_TABLES } from '../statements.ts'
import { pageAgainstDatabase, readPage } from './lists.ts'

const LARGEST_PAGE = 50
const AT_EACH_END = 100
const PASSES = 3
const JUMPS = 12
const SEARCHES = 20
/** Times of far and large lists divided by those of near and small ones. */
const FLAT = 1.5
const JUMP_MS = 100
const WANTED = 0.4

/** Common and rare words of one letter, of two and of more; one that every part has, and one that none has. */
const WORDS = ['e', 'q', 'ri', 'qx', 'REF', 'no part is called so']

/** Lists far from their first page: read from end to end, jumped into, searched, and compared with the database. */
export async function measurePages(context: Context): Promise<Figure[]> {
  const passes: Pass[] = []
  for (let pass = 0; pass < PASSES; pass++) passes.push(await crawl(context))
  const last = Math.ceil((passes[0]?.parts ?? 0) / 10)
  return [
    timeFigure(
      `Page after page to the end: the last ${AT_EACH_END} of ${passes[0]?.pages.toLocaleString('en-US')} ÷ the first ${AT_EACH_END}`,
      passes.map(({ lastMs }) => lastMs),
      passes.map(({ firstMs }) => firstMs),
      FLAT,
    ),
    await jumped(context, last),
    ...(await searched(context)),
    ...(await farPage(context, 1000)),
    ...(await farPage(context, last)),
  ]
}

const reader = ({ services, account }: Context) => signIn(services.identity.url, account, services.sourcing.url)
const pathOf = (page: number, pageSize: number) => `/v1/parts?pageSize=${pageSize}&page=${page}`

interface Pass {
  pages: number
  parts: number
  firstMs: number
  lastMs: number
}

/** Reads all parts once, page after page, in a session of its own. */
async function crawl(context: Context): Promise<Pass> {
  const client = await reader(context)
  const times: number[] = []
  const seen = new Set<string>()
  for (let page = 1, more = true; more; page++) {
    const { body, ms } = await readPage(client, pathOf(page, LARGEST_PAGE))
    times.push(ms)
    for (const { id } of body.items) seen.add(id)
    more = body.hasMore
  }
  context.progress(`Pages: ${times.length} with ${seen.size} parts`)
  if (seen.size <= (times.length - 1) * LARGEST_PAGE) throw new Error('a part was on two pages')
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const [first, last] = [times.slice(0, AT_EACH_END), times.slice(-AT_EACH_END)]
  return { pages: times.length, parts: seen.size, firstMs: sum(first), lastMs: sum(last) }
}

/** Each jump has a session of its own, which has read no page before. */
async function jumped(context: Context, end: number): Promise<Figure> {
  const times: number[] = []
  for (let jump = 1; jump <= JUMPS; jump++) {
    const client = await reader(context)
    await readPage(client, pathOf(1, 20))
    times.push((await readPage(client, pathOf(Math.ceil((end * jump) / JUMPS), 10))).ms)
  }
  const longest = Math.max(...times)
  return {
    what: `A jump to any page, up to the last of ${end.toLocaleString('en-US')}`,
    ours: `${median(times).toFixed(1)} ms median`,
    reference: '',
    result: `${longest.toFixed(1)} ms at most`,
    wanted: `≤ ${JUMP_MS} ms`,
    met: longest <= JUMP_MS,
  }
}

/** The same search over all parts and over a hundred thousand, in turns. */
async function searched(context: Context): Promise<Figure[]> {
  const { database, parts, progress, onStop } = context
  const small = await openSmallDatabase(database, progress)
  const services = await startServices(small, onStop, ['identity', 'organization', 'sourcing'])
  const account = await ensureAccount(small, services)
  const [ours, reference] = [await reader(context), await signIn(services.identity.url, account, services.sourcing.url)]
  const figures: Figure[] = []
  for (const q of WORDS) {
    const path = `/v1/parts?${new URLSearchParams({ q })}`
    await Promise.all([readPage(ours, path), readPage(reference, path)])
    const times = { large: [] as number[], small: [] as number[] }
    for (let round = 0; round < SEARCHES; round++) {
      times.large.push((await readPage(ours, path)).ms)
      times.small.push((await readPage(reference, path)).ms)
    }
    const numbers = [parts, SMALL_PARTS].map((count) => count.toLocaleString('en-US')).join(' ÷ ')
    const what = `GET /v1/parts?q=${q}: ${numbers}`
    figures.push(timeFigure(what, [median(times.large)], [median(times.small)], FLAT))
  }
  for (const { stop } of Object.values(services)) await stop()
  return figures
}

/** A far page, asked for again and again by a session that has read the page before. */
async function farPage(context: Context, page: number): Promise<Figure[]> {
  const client = await reader(context)
  await readPage(client, pathOf(page - 1, 10))
  const list = { service: 'sourcing', tables: PARTS_TABLES, client, path: pathOf(page, 10), atLeast: WANTED } as const
  return pageAgainstDatabase(context, list)
}
