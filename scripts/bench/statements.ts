import { stat } from 'node:fs/promises'
import { asOwner } from '../../services/testing/load/owner.ts'
import type { Database } from './stage/database.ts'

/** A statement as the log of Postgres shows it. */
export interface LoggedStatement {
  application: string
  pid: string
  text: string
  parameters: (string | null)[]
}

/** How the log marks the first line of an entry: application name and process id. */
export const LOG_LINE_PREFIX = '@@%a|%p|'
const ENTRY = /^(?<application>[^|\n]*)\|(?<pid>\d+)\|(?<level>[A-Z]+): {2}(?<message>[\s\S]*)$/
const STATEMENT = /^(?:statement|execute [^:]*): (?<text>[\s\S]*)$/
const PARAMETER = /\$\d+ = (?:NULL|'((?:[^']|'')*)')/g

/** Statements of other parts of a service than the request: the outbox, the bus and sessions. */
const BACKGROUND = /outbox|inbox|bus_|cursor|heartbeat|advisory|pg_catalog|pg_current|last_used_at/

/** A reload of the configuration reaches idle connections within milliseconds. */
const RELOAD_MS = 200

/** Every statement that Postgres executes during some work, in order, with its parameters. */
export async function capture(
  { ownerUrl, logFile }: Pick<Database, 'ownerUrl' | 'logFile'>,
  work: () => Promise<unknown>,
): Promise<LoggedStatement[]> {
  return asOwner(ownerUrl, async (owner) => {
    const logStatements = async (which: string) => {
      await owner.unsafe(`alter system set log_statement = '${which}'`)
      await owner`select pg_reload_conf()`
      await Bun.sleep(RELOAD_MS)
    }
    const { size } = await stat(logFile)
    await logStatements('all')
    try {
      await work()
      await Bun.sleep(RELOAD_MS)
    } finally {
      await logStatements('none')
    }
    return readLog(await Bun.file(logFile).slice(size).text())
  })
}

export function readLog(log: string): LoggedStatement[] {
  const statements: LoggedStatement[] = []
  for (const entry of log.split(/^@@/m)) {
    const { application = '', pid = '', level, message = '' } = ENTRY.exec(entry)?.groups ?? {}
    // Postgres begins each further line of a message with a tab.
    const whole = message.replaceAll('\n\t', '\n').trimEnd()
    const text = STATEMENT.exec(whole)?.groups?.text
    if (level === 'LOG' && text !== undefined) statements.push({ application, pid, text, parameters: [] })
    const last = statements.findLast((statement) => statement.pid === pid)
    if (level === 'DETAIL' && last && /^parameters: /i.test(whole)) {
      last.parameters = [...whole.matchAll(PARAMETER)].map(([, value]) => value?.replaceAll("''", "'") ?? null)
    }
  }
  return statements
}

/** The reading statements of one request, which is sent once before: then sessions and plans are known. */
export async function readsOf(
  database: Database,
  service: string,
  request: () => Promise<unknown>,
): Promise<LoggedStatement[]> {
  await request()
  const statements = await capture(database, request)
  const reads = statements.filter(
    ({ application, text }) =>
      application === service &&
      /^\s*(select|with)\b/i.test(text) &&
      !/\b(insert into|update|delete from)\b/i.test(text) &&
      !BACKGROUND.test(text),
  )
  if (reads.length === 0) throw new Error(`the log of Postgres shows no statement of ${service}`)
  return reads
}

/** Statements as a pgbench script: `$1` of the first one becomes the variable `s0p1`. A null has no variable. */
export function pgbenchScript(statements: readonly LoggedStatement[]): {
  text: string
  variables: Record<string, string>
} {
  const variables: Record<string, string> = {}
  const texts = statements.map(({ text, parameters }, at) =>
    text.trim().replaceAll(/\$(\d+)/g, (_, number) => {
      const value = parameters[Number(number) - 1]
      if (value === null || value === undefined) return 'null'
      variables[`s${at}p${number}`] = value
      return `:s${at}p${number}`
    }),
  )
  return { text: texts.map((text) => `${text};\n`).join(''), variables }
}
