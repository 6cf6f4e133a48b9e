import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '../../../services/kit/db/client.ts'
import { PipelinedReads } from '../../../services/kit/db/pipelined-reads.ts'
import { type Anchor, keepAnchors } from '../../../services/kit/pages/queries.ts'
import { listPartsFrom, NEWEST, type PartsFrom } from '../../../services/sourcing/parts/queries.ts'
import { FAR_AHEAD, findPage, placesToRead } from '../../../services/sourcing/parts/search.ts'
import type { ApiClient } from '../../../services/testing/client.ts'
import { serviceUrl } from '../../local/secrets.ts'
import type { Bench } from '../bench.ts'
import { type Figure, median, ratioFigure, ratiosOf } from '../figures.ts'
import { hasPgbench } from '../load/pgbench.ts'
import { databaseSide, serverSide } from '../load/sides.ts'
import { inRounds } from '../rounds.ts'
import { ensureSmallDatabase, SMALL_PARTS } from '../stage/database.ts'
import { signIn } from '../stage/people.ts'
import { forPgbench, requireSameStatement, statementOf } from '../stage/statements.ts'

const LARGEST_PAGE = 50
const AT_EACH_END = 100
/** What else the machine does hits one end of a pass or the other. */
const PASSES = 3
const JUMPS = 12
const SEARCHES = 20
const FLAT = 1.5
const JUMP_MS = 100

/** Common and rare words of one letter, of two and of more; one that every part has, and those that none has. */
const WORDS = ['e', 'q', 'ri', 'qx', 'REF', 'no part is called so']

/** Lists far from their first page: read from end to end, jumped into, searched, and asked again and again. */
export async function measurePages(bench: Bench): Promise<Figure[]> {
  const last = await lastPage(bench, 10)
  return [
    await crawled(bench),
    await jumped(bench),
    ...(await searched(bench)),
    ...(await againstDatabase(bench, 1000)),
    ...(await againstDatabase(bench, last)),
  ]
}

const reader = async ({ services, account }: Bench): Promise<ApiClient> => {
  const client = await signIn(services.identity.url, account)
  client.url = services.sourcing.url
  return client
}

interface Page {
  items: { id: string }[]
  hasMore: boolean
}

async function readPage(client: ApiClient, page: number, pageSize: number): Promise<{ body: Page; ms: number }> {
  const startedMs = performance.now()
  const { status, body, text } = await client.get<Page>(`/v1/parts?pageSize=${pageSize}&page=${page}`)
  if (status !== 200) throw new Error(`page ${page}: ${text}`)
  return { body, ms: performance.now() - startedMs }
}

async function lastPage({ database }: Bench, pageSize: number): Promise<number> {
  const owner = connect(database.ownerUrl, { max: 1, applicationName: 'bench-look' })
  const [row] = await owner<{ parts: number }[]>`
    select count(*)::integer as parts from sourcing.parts where state = 'PUBLISHED' and not internal`
  await owner.end({ timeout: 1 })
  return Math.ceil((row?.parts ?? 0) / pageSize)
}

async function crawled(bench: Bench): Promise<Figure> {
  const passes: Pass[] = []
  for (let pass = 0; pass < PASSES; pass++) passes.push(await crawl(bench))
  const ratios = ratiosOf(
    passes.map(({ lastMs }) => lastMs),
    passes.map(({ firstMs }) => firstMs),
  )
  const ratio = median(ratios)
  return {
    what: `Page after page to the end: the last ${AT_EACH_END} ÷ the first ${AT_EACH_END}`,
    ours: `${median(passes.map(({ lastMs }) => lastMs)).toFixed(0)} ms`,
    reference: `${median(passes.map(({ firstMs }) => firstMs)).toFixed(0)} ms, of ${passes[0]?.pages.toLocaleString('en-US')} pages`,
    result: `${ratio.toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
    wanted: `≤ ${FLAT}`,
    met: ratio <= FLAT,
  }
}

interface Pass {
  pages: number
  firstMs: number
  lastMs: number
}

/** Reads all parts once, page after page, in a session of its own. */
async function crawl(bench: Bench): Promise<Pass> {
  const client = await reader(bench)
  const times: number[] = []
  const seen = new Set<string>()
  for (let page = 1, more = true; more; page++) {
    const { body, ms } = await readPage(client, page, LARGEST_PAGE)
    times.push(ms)
    for (const { id } of body.items) seen.add(id)
    more = body.hasMore
  }
  bench.progress(`Pages: ${times.length} with ${seen.size} parts`)
  if (seen.size <= (times.length - 1) * LARGEST_PAGE) throw new Error('a part was on two pages')
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return { pages: times.length, firstMs: sum(times.slice(0, AT_EACH_END)), lastMs: sum(times.slice(-AT_EACH_END)) }
}

/** Each in a session of its own, so that nothing is known of the pages before. */
async function jumped(bench: Bench): Promise<Figure> {
  const end = await lastPage(bench, 10)
  const times: number[] = []
  for (let jump = 1; jump <= JUMPS; jump++) {
    const client = await reader(bench)
    await readPage(client, 1, 20)
    times.push((await readPage(client, Math.ceil((end * jump) / JUMPS), 10)).ms)
  }
  const longest = Math.max(...times)
  return {
    what: `A jump to any page, the last one of ${end.toLocaleString('en-US')} too`,
    ours: `${median(times).toFixed(1)} ms in the middle`,
    reference: '',
    result: `${longest.toFixed(1)} ms at most`,
    wanted: `≤ ${JUMP_MS} ms`,
    met: longest <= JUMP_MS,
  }
}

/** The same search over all parts and over a hundred thousand, in turns. */
async function searched({ database, parts, progress }: Bench): Promise<Figure[]> {
  const smallUrl = await ensureSmallDatabase(database, progress)
  const open = (ownerUrl: string) =>
    connect(serviceUrl(ownerUrl, 'sourcing', database.secrets), { max: 1, applicationName: 'bench-search' })
  const [large, small] = [open(database.ownerUrl), open(smallUrl)]
  const figures: Figure[] = []
  const reader = { orgId: '', signal: new AbortController().signal }
  for (const q of WORDS) {
    const times = { large: [] as number[], small: [] as number[] }
    for (let round = 0; round < SEARCHES; round++) {
      for (const [name, sql] of [['large', large] as const, ['small', small] as const]) {
        const startedMs = performance.now()
        await findPage({ sql, reads: new PipelinedReads(sql, undefined), ...placesToRead(8) }, reader, {
          ...FIRST_PAGE,
          q,
        })
        times[name].push(performance.now() - startedMs)
      }
    }
    const ratio = median(times.large) / median(times.small)
    figures.push({
      what: `Parts with q=${q}: ${parts.toLocaleString('en-US')} ÷ ${SMALL_PARTS.toLocaleString('en-US')}`,
      ours: `${median(times.large).toFixed(1)} ms`,
      reference: `${median(times.small).toFixed(1)} ms`,
      result: ratio.toFixed(2),
      wanted: `≤ ${FLAT}`,
      met: ratio <= FLAT,
    })
  }
  await Promise.all([large.end({ timeout: 1 }), small.end({ timeout: 1 })])
  return figures
}

const FIRST_PAGE = { view: 'CONSUMER', after: undefined, limit: 11, offset: 0 } as const

/** A page far on, asked for again and again by who has read the one before. */
async function againstDatabase(bench: Bench, page: number): Promise<Figure[]> {
  if (!hasPgbench()) return []
  const { database, services, pace, trial } = bench
  const client = await reader(bench)
  const before = await readPage(client, page - 1, 10)
  const request = {
    path: `/v1/parts?pageSize=10&page=${page}`,
    headers: { Authorization: `Bearer ${client.accessToken}` },
  }
  const ours = await serverSide({ port: services.sourcing.port, request }, trial)
  const url = serviceUrl(database.ownerUrl, 'sourcing', database.secrets)
  const now = new Date().toISOString()
  const maxSkipped = FAR_AHEAD
  const start: PartsFrom = { view: 'CONSUMER', key: `bench ${now}`, page, pageSize: 10, limit: 11, maxSkipped, now }
  await leaveAnchor(url, { key: start.key, page, after: before.body.items.at(-1)?.id ?? '' })
  const statement = await statementOf(url, (sql) => listPartsFrom(sql, '', start))
  const script = join(database.folder, `parts-${page}.sql`)
  const { key, limit, pageSize } = start
  const variables = { key, page, now, newest: NEWEST, limit, skippedTo: page, pageSize, maxSkipped }
  await writeFile(script, forPgbench(statement, variables))
  const side = await databaseSide({ url, script, variables }, trial)
  await requireSameStatement(database.ownerUrl, statement, { pgbench: () => side.run(2), sourcing: () => ours.run(2) })
  const rates = await inRounds({ ours: ours.run, pgbench: side.run }, pace)
  return [
    ratioFigure({
      what: `GET /v1/parts?page=${page} ÷ pgbench`,
      ours: rates.ours,
      reference: rates.pgbench,
      against: `pgbench, ${side.clients} clients`,
      atLeast: 0.4,
    }),
  ]
}

/** As reading the page before leaves one, for readers that never come to its end. */
async function leaveAnchor(url: string, anchor: Anchor): Promise<void> {
  const sql = connect(url, { max: 1, applicationName: 'bench-look' })
  await keepAnchors(sql, [anchor], new Date(Date.now() + 60 * 60 * 1000).toISOString())
  await sql.end({ timeout: 1 })
}
