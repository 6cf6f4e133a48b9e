import postgres from 'postgres'
import { ISO_TIMES, type Sql } from '../kit/db/client.ts'

interface PlanNode {
  'Node Type': string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: PlanNode[]
}

export interface Plan {
  nodes: PlanNode[]
  /** Tables with a sequential scan. */
  scannedWhole: string[]
  indexes: string[]
}

interface SentStatement {
  statement: string
  parameters: unknown[]
}

/** A connection whose statements are recorded. */
interface Session {
  sql: Sql
  sent: SentStatement[]
}

/** A test of plans asks for hundreds of connections, and each new one reads the catalogs again, so they are reused. */
const KEPT_SECONDS = 5
const sessions = new Map<string, Session>()

function sessionOf(serviceUrl: string, purpose: string, settings: Record<string, string> = {}): Session {
  const key = [serviceUrl, purpose, JSON.stringify(settings)].join(' ')
  const known = sessions.get(key)
  if (known) return known
  const sent: SentStatement[] = []
  const debug = (_: number, statement: string, parameters: unknown[]) => void sent.push({ statement, parameters })
  const options = { max: 1, idle_timeout: KEPT_SECONDS, onnotice: () => {}, types: ISO_TIMES, debug }
  const session = { sql: postgres(serviceUrl, { ...options, connection: settings }), sent }
  sessions.set(key, session)
  return session
}

/** The statements of a query, without those that look up types. */
async function statementsOf(
  { sql, sent }: Session,
  query: (sql: Sql) => PromiseLike<unknown>,
): Promise<SentStatement[]> {
  sent.length = 0
  await query(sql)
  return sent.filter(({ statement }) => !/pg_catalog/.test(statement))
}

/** The generic plan of the last statement of the query, with the settings of the service role. */
export async function planOf(
  serviceUrl: string,
  query: (sql: Sql) => PromiseLike<unknown>,
  settings: Record<string, string> = {},
): Promise<Plan> {
  const session = sessionOf(serviceUrl, 'plan', settings)
  const sent = await statementsOf(session, query)
  const [row] = await session.sql
    .unsafe<[{ 'QUERY PLAN': [{ Plan: PlanNode }] }]>(`explain (generic_plan, format json) ${sent.at(-1)?.statement}`)
    .simple()
  const [{ Plan: root }] = row['QUERY PLAN']
  const nodes = flatten(root)
  return {
    nodes,
    scannedWhole: nodes.filter((n) => n['Node Type'] === 'Seq Scan').map((n) => n['Relation Name'] ?? ''),
    indexes: nodes.flatMap((n) => n['Index Name'] ?? []),
  }
}

const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)]

/** A sequential scan of at most this many rows is acceptable. */
const FEW_ROWS = 500

export interface Work {
  /** Tables of more than a few rows with a sequential scan in any statement. */
  scannedWhole: string[]
  /** The largest number of rows that one plan node read. */
  mostRows: number
  /** The plan node that read the most rows. */
  busiest: string
  /** Pages of 8 KiB that all statements read. */
  blocks: number
}

/**
 * The tests load so few rows that the planner just chooses as with many: the largest organization has several times the
 * rows that a plan may read, and a whole table more than `FEW_ROWS`, so a missing index shows.
 *
 * Runs the statements of the query with `explain analyze`, with their parameters and the settings of the service role.
 */
export async function workOf(serviceUrl: string, query: (sql: Sql) => PromiseLike<unknown>): Promise<Work> {
  const sent = await statementsOf(sessionOf(serviceUrl, 'run'), query)
  const { sql: explaining } = sessionOf(serviceUrl, 'explain')
  const nodes: PlanNode[] = []
  let blocks = 0
  for (const { statement, parameters } of sent) {
    const argumentList = parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`
    await explaining.unsafe(`deallocate all; prepare explained as ${statement}`).simple()
    const [row] = await explaining
      .unsafe<[{ 'QUERY PLAN': [{ Plan: PlanNode }] }]>(
        `explain (analyze, buffers, format json) execute explained${argumentList}`,
      )
      .simple()
    const root = row['QUERY PLAN'][0].Plan
    nodes.push(...flatten(root))
    blocks += (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0)
  }
  const [busiest] = nodes.sort((a, b) => rowsOf(b) - rowsOf(a))
  return {
    scannedWhole: nodes
      .filter((node) => node['Node Type'] === 'Seq Scan' && rowsOf(node) > FEW_ROWS)
      .map((node) => node['Relation Name'] ?? ''),
    mostRows: busiest ? Math.round(rowsOf(busiest)) : 0,
    busiest: [busiest?.['Node Type'], busiest?.['Relation Name'], busiest?.['Index Name']].join(' '),
    blocks,
  }
}

const rowsOf = (node: PlanNode) =>
  ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 0)

const literal = (value: unknown) => (value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`)
