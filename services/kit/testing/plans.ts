import postgres from 'postgres'
import type { Sql } from '../db/client.ts'

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: PlanNode[]
}

export interface Plan {
  nodes: PlanNode[]
  /** Tables that the plan reads from end to end. */
  scannedWhole: string[]
  indexes: string[]
}

/**
 * How Postgres would run a query for a service: the generic plan, as its role's settings demand, of the very statement
 * that the product sends.
 */
export async function planOf(serviceUrl: string, query: (sql: Sql) => PromiseLike<unknown>): Promise<Plan> {
  const sent: string[] = []
  const sql = postgres(serviceUrl, { max: 1, onnotice: () => {}, debug: (_, statement) => sent.push(statement) })
  try {
    await query(sql)
    const statement = sent.at(-1) as string
    const [row] = await sql
      .unsafe<[{ 'QUERY PLAN': [{ Plan: PlanNode }] }]>(`explain (generic_plan, format json) ${statement}`)
      .simple()
    const [{ Plan: root }] = row['QUERY PLAN']
    const nodes = flatten(root)
    return {
      nodes,
      scannedWhole: nodes.filter((n) => n['Node Type'] === 'Seq Scan').map((n) => n['Relation Name'] ?? ''),
      indexes: nodes.flatMap((n) => n['Index Name'] ?? []),
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)]
