import { type ApiClient, succeeded } from '../../../../services/testing/client.ts'
import { count, type Row, rounds, timeRatio } from '../compare.ts'
import type { Context, Section } from '../context.ts'
import { idOf, LARGE_TRADER, SMALL_TRADER, TRADED_PART } from '../database.ts'
import { comparePage, readPage, timeOf } from '../lists.ts'
import { signIn, startReplica } from '../services.ts'

/** There are many filters, so each gets short rounds and the numbers of clients that are fastest for most of them. */
const SHORT = { pace: { rounds: 3, seconds: 1 }, connections: [64], clients: [8] }
const FAR_PAGE = 100
/** A hundredth page, the lists of a large organization and the search for a part, divided by the simple case. */
const FLAT = 2

/** The paged lists, with their views and with common and rare values of every filter. */
const LISTS = [
  {
    path: '/v1/rfqs',
    views: ['CONSUMER', 'IP_OWNER', 'MANUFACTURER'],
    filters: ['state=CLOSED', 'state=CANCELLED', 'partId=part_14', 'excludeDrafts=true', 'excludeExpired=true'],
  },
  {
    path: '/v1/offers',
    views: ['CONSUMER', 'IP_OWNER', 'MANUFACTURER'],
    filters: [
      'state=REJECTED',
      'state=WITHDRAWN',
      'partId=part_14',
      `rfqId=${idOf('rfq', 14)}`,
      'activated=true',
      'activated=false',
    ],
  },
  {
    path: '/v1/orders',
    views: ['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR'],
    filters: ['state=COMPLETED', 'state=DECLINED', 'partId=part_14', `factoryId=${idOf('factory', 15)}`],
  },
]
const EVERY_ROLE = ''

/**
 * Lists of two replicas: RFQs, offers and orders of an organization with half of all and of one with few; factories for
 * a part.
 */
export const measureTrade: Section = async function* (context) {
  const [large, small] = [
    await signIn(context, 'sourcing', LARGE_TRADER),
    await signIn(context, 'sourcing', SMALL_TRADER),
  ]
  // pgbench has a session for each client. One process of the service leaves a part of two cores idle.
  const ports = [context.services.sourcing, await startReplica(context, 'sourcing')].map(({ port }) => port)
  for (const { path, views, filters } of LISTS) {
    const viewQueries = [EVERY_ROLE, ...views.map((view) => `view=${view}`)]
    const queries = viewQueries.flatMap((view) => ['', ...filters].map((filter) => `${view}&${filter}`))
    yield await worst(
      `GET ${path}, each view and filter: an organization with half of all ÷ one with few`,
      queries,
      (query, times) =>
        timeRatio(
          rounds(times),
          () => timeOf(large, `${path}?${query}`),
          () => timeOf(small, `${path}?${query}`),
        ),
    )
    yield await worst(`GET ${path}, each view: page ${FAR_PAGE} ÷ page 1`, viewQueries, (query, times) =>
      farRatio(context, path, query, times),
    )
    // Each view, and each filter where every role is searched.
    for (const query of [...viewQueries, ...filters]) {
      yield* comparePage({
        database: context.database,
        client: large,
        path: `${path}?${query}`,
        atLeast: 0.35,
        ports,
        ...SHORT,
      })
    }
  }
  yield* measureMatches(context, large)
}

type Ratio = Omit<Row, 'what' | 'wanted'>

type Measure = (query: string, times: number) => Promise<Ratio>

/**
 * The worst ratio of several requests, measured again by itself: the largest of many short measurements is partly
 * chance.
 */
async function worst(what: string, queries: string[], measure: Measure): Promise<Row> {
  const ratios = await Array.fromAsync(queries, async (query) => (await measure(query, 20)).result)
  const query = queries[ratios.indexOf(Math.max(...ratios))] ?? ''
  const note = `(the worst of ${queries.length}: ${query.replace(/^&|&$/, '') || 'every role'})`
  return { what, ...(await measure(query, 100)), note, wanted: { atMost: FLAT } }
}

/** A page that is reached page after page, which its session reads again, against the first one. */
async function farRatio(context: Context, path: string, query: string, times: number): Promise<Ratio> {
  const [far, near] = [await signIn(context, 'sourcing', LARGE_TRADER), await signIn(context, 'sourcing', LARGE_TRADER)]
  const pathOf = (page: number) => `${path}?${query}&page=${page}`
  for (const page of [FAR_PAGE - 1, FAR_PAGE]) await readPage(far, pathOf(page))
  return timeRatio(
    rounds(times),
    () => timeOf(far, pathOf(FAR_PAGE)),
    () => timeOf(near, pathOf(1)),
  )
}

/** The factories for a part, and the matches of an RFQ for it, against the list of all factories. */
async function* measureMatches({ database }: Context, client: ApiClient): AsyncGenerator<Row> {
  const body = { partId: TRADED_PART, expireTime: '2031-05-29T12:00:00Z', currency: 'EUR', deliveryRegionCode: 'NO' }
  const rfq = await succeeded(client.post<{ id: string }>('/flows/v1/rfqs', body))
  const all = '/v1/factories?view=CONSUMER'
  for (const [what, path] of [
    [`GET ${all}&partId`, `${all}&partId=${TRADED_PART}`],
    ['GET /flows/v1/rfqs/{id}/matches', `/flows/v1/rfqs/${rfq.id}/matches`],
  ] as const) {
    const { status: found, text: page } = await client.get(path)
    if (found !== 200) throw new Error(`GET ${path}: ${found} ${page}`)
    yield {
      what: `${what} ÷ all ${count(database.size.factories)} factories`,
      ...(await timeRatio(
        rounds(100),
        () => timeOf(client, path),
        () => timeOf(client, all),
      )),
      wanted: { atMost: FLAT },
    }
  }
}
