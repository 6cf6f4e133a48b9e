import postgres from 'postgres'
import { connect, ISO_TIMES, type Pool, type Sql } from '../../../services/kit/db/client.ts'

export interface SentStatement {
  text: string
  parameters: readonly unknown[]
}

/** The statement that the product sends, taken from where it is sent. */
export async function statementOf(
  serviceUrl: string,
  query: (sql: Sql) => PromiseLike<unknown>,
): Promise<SentStatement> {
  const sent = await transactionOf(serviceUrl, query)
  return sent.at(-1) ?? { text: '', parameters: [] }
}

/** All statements of a command, from its `begin` on. */
export async function transactionOf(
  serviceUrl: string,
  command: (sql: Pool) => PromiseLike<unknown>,
): Promise<SentStatement[]> {
  const sent: SentStatement[] = []
  const debug = (_: number, text: string, parameters: unknown[]) => void sent.push({ text, parameters })
  const sql = postgres(serviceUrl, { max: 1, onnotice: () => {}, types: ISO_TIMES, debug })
  try {
    await command(sql)
    return sent.filter(({ text }) => !text.includes('pg_catalog'))
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/**
 * A statement as pgbench spells it. Each parameter gets the name of the value that it was sent with; pgbench makes `$1` of
 * the first name it meets, so that the server gets the same text.
 */
export function forPgbench({ text, parameters }: SentStatement, values: Readonly<Record<string, unknown>>): string {
  // Each parameter has a number of its own: where two have one value, two names are used if there are two.
  const unused = new Set(Object.keys(values))
  const names = parameters.map((parameter) => {
    const same = Object.keys(values).filter((name) => String(values[name]) === String(parameter))
    const name = same.find((candidate) => unused.has(candidate)) ?? same[0]
    if (name === undefined) throw new Error(`no name for the parameter ${parameter}`)
    unused.delete(name)
    return name
  })
  return `${text.trim().replaceAll(/\$(\d+)/g, (_, number) => `:${names[Number(number) - 1]}`)}\n`
}

const LOOK_EVERY_MS = 10

/**
 * Looks at what the server is asked while each side works, and refuses to compare unless it is the same text, byte for
 * byte but for blanks around it, which pgbench takes away, and the semicolon between several, which it keeps. Sides go by
 * the names that their connections bear.
 */
export const requireSameStatement = (ownerUrl: string, statement: SentStatement, sides: Sides) =>
  requireSameStatements(ownerUrl, [statement], sides)

type Sides = Readonly<Record<string, () => Promise<unknown>>>

/** The same of several that are sent one after the other. */
export async function requireSameStatements(
  ownerUrl: string,
  statements: readonly SentStatement[],
  sides: Sides,
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
        for (const { query } of rows) seen.add(query.trim().replace(/;$/, ''))
        await Bun.sleep(LOOK_EVERY_MS)
      }
      await finished
      const missing = statements.find(({ text }) => !seen.has(text.trim()))
      if (missing) throw new Error(`${name} sends another statement than:\n${missing.text}`)
    }
  } finally {
    await owner.end({ timeout: 1 })
  }
}
