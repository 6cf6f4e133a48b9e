import { stat } from 'node:fs/promises'
import type { ServiceName } from '../../proto/services.ts'
import { asOwner } from '../../services/testing/load/owner.ts'
import type { Database } from './stage/database.ts'

/** A statement as the log of Postgres shows it. */
export interface LoggedStatement {
  application: string
  pid: string
  text: string
  parameters: (string | null)[]
}

/** The first line of an entry, after the prefix `@@%a|%p|`. */
const ENTRY = /^(?<application>[^|\n]*)\|(?<pid>\d+)\|(?<level>[A-Z]+): {2}(?<message>[\s\S]*)$/
const STATEMENT = /^(?:statement|execute [^:]*): (?<text>[\s\S]*)$/
const PARAMETER = /\$\d+ = (?:NULL|'((?:[^']|'')*)')/g

/** A reload of the configuration reaches idle connections within milliseconds. */
const RELOAD_MS = 200

/** Changes a setting of the running Postgres for the time of some work. */
export async function withSetting<Result>(
  { ownerUrl }: Pick<Database, 'ownerUrl'>,
  [name, value]: readonly [name: string, value: string],
  work: () => Promise<Result>,
): Promise<Result> {
  const change = (statement: string) =>
    asOwner(ownerUrl, async (owner) => {
      await owner.unsafe(statement)
      await owner`select pg_reload_conf()`
      await Bun.sleep(RELOAD_MS)
    })
  await change(`alter system set ${name} = '${value}'`)
  try {
    return await work()
  } finally {
    await change(`alter system reset ${name}`)
  }
}

/** Every statement that Postgres executes during some work, in order, with its parameters. */
export async function capture(database: Database, work: () => Promise<unknown>): Promise<LoggedStatement[]> {
  const { size } = await stat(database.logFile)
  await withSetting(database, ['log_statement', 'all'], async () => {
    await work()
    await Bun.sleep(RELOAD_MS)
  })
  return readLog(await Bun.file(database.logFile).slice(size).text())
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

/** A list of a service, and the tables that its statements name. */
export interface List {
  service: ServiceName
  tables: RegExp
}
export const PARTS: List = { service: 'sourcing', tables: /\bsourcing\.parts\b|\bpage_/ }
export const USERS: List = { service: 'organization', tables: /\borganization\.(users|user_roles|roles)\b|\bpage_/ }

/**
 * The reading statements of one page of a list; a service has other statements in the background. The page is read once
 * before: then the session and its permissions are known.
 */
export async function readsOf(
  database: Database,
  list: List,
  read: () => Promise<unknown>,
): Promise<LoggedStatement[]> {
  await read()
  const statements = await capture(database, read)
  const reads = statements.filter(
    ({ application, text }) =>
      application === list.service &&
      /^\s*(select|with)\b/i.test(text) &&
      !/\b(insert into|update|delete from)\b/i.test(text) &&
      list.tables.test(text),
  )
  if (reads.length === 0) throw new Error(`the log of Postgres shows no statement of ${list.service}`)
  return reads
}

/** Statements as a pgbench script: `$1` of the first one becomes the variable `s0p1`. Null and empty text have no variable. */
export function pgbenchScript(statements: readonly LoggedStatement[]) {
  const variables: Record<string, string> = {}
  const lines = statements.map(({ text, parameters }, at) => {
    const line = text.trim().replaceAll(/\$(\d+)/g, (_, number) => {
      const value = parameters[Number(number) - 1]
      if (value === null || value === undefined) return 'null'
      // pgbench accepts no empty variable.
      if (value === '') return "''"
      variables[`s${at}p${number}`] = value
      return `:s${at}p${number}`
    })
    return `${line};\n`
  })
  return { text: lines.join(''), variables }
}
