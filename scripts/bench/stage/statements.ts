import postgres from 'postgres'
import { connect, type Sql } from '../../../services/kit/db/client.ts'

/** The text of the statement that the product sends, taken from where it is sent. */
export async function statementOf(serviceUrl: string, query: (sql: Sql) => PromiseLike<unknown>): Promise<string> {
  const sent: string[] = []
  const sql = postgres(serviceUrl, { max: 1, onnotice: () => {}, debug: (_, statement) => sent.push(statement) })
  try {
    await query(sql)
    return sent.at(-1) ?? ''
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const LOOK_EVERY_MS = 50

/**
 * Looks at what the server is asked while each side works, and refuses to compare unless it is the same text, byte for
 * byte but for blanks around it, which pgbench takes away. Sides go by the names that their connections bear.
 */
export async function requireSameStatement(
  ownerUrl: string,
  statement: string,
  sides: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const owner = connect(ownerUrl, { max: 1, applicationName: 'bench-look' })
  try {
    for (const [name, work] of Object.entries(sides)) {
      const seen = new Set<string>()
      let working = true
      const finished = work().finally(() => {
        working = false
      })
      while (working) {
        const rows = await owner<{ query: string }[]>`
          select distinct query from pg_stat_activity where application_name = ${name}`
        for (const { query } of rows) seen.add(query.trim())
        await Bun.sleep(LOOK_EVERY_MS)
      }
      await finished
      if (!seen.has(statement.trim())) throw new Error(`${name} sends another statement than:\n${statement}`)
    }
  } finally {
    await owner.end({ timeout: 1 })
  }
}
