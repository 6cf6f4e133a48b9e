import { stat } from 'node:fs/promises'
import type { ServiceName } from '../../../proto/services.ts'
import { asOwner } from '../../../services/testing/load/owner.ts'
import type { Database } from './database.ts'

/** A statement as the log of Postgres shows it. */
export interface LoggedStatement {
  application: string
  pid: string
  text: string
  parameters: (string | null)[]
}

/** An entry of the log, after `@@`. */
const ENTRY = /^(?<application>[^|\n]*)\|(?<pid>\d+)\|(?<level>[A-Z]+): {2}(?<message>[\s\S]*)$/
const STATEMENT = /^(?:statement|execute [^:]*): (?<text>[\s\S]*)$/
const PARAMETER = /\$\d+ = (?:NULL|'((?:[^']|'')*)')/g

/** A reload of the configuration reaches idle connections, and the log its file, within milliseconds. */
const RELOAD_MS = 200

/**
 * The statements of a service that match a pattern, each with the other statements of its transaction, which Postgres
 * executes during some work.
 */
export async function capture(
  { ownerUrl, logFile }: Database,
  service: ServiceName,
  pattern: RegExp,
  work: () => Promise<unknown>,
): Promise<LoggedStatement[]> {
  const { size } = await stat(logFile)
  await asOwner(ownerUrl, async (owner) => {
    await owner`alter system set log_statement = 'all'`
    await owner`select pg_reload_conf()`
    await Bun.sleep(RELOAD_MS)
    try {
      await work()
    } finally {
      await Bun.sleep(RELOAD_MS)
      await owner`alter system reset log_statement`
      await owner`select pg_reload_conf()`
    }
  })
  const logged = readLog(await Bun.file(logFile).slice(size).text()).filter(
    ({ application }) => application === service,
  )
  const found = transactionsOf(logged).filter((transaction) => transaction.some(({ text }) => pattern.test(text)))
  if (found.length === 0)
    throw new Error(`the log of Postgres shows no statement of ${service} that matches ${pattern}`)
  return found.flat()
}

export function readLog(log: string): LoggedStatement[] {
  const statements: LoggedStatement[] = []
  for (const entry of log.split(/^@@/m)) {
    const { application = '', pid = '', level, message = '' } = ENTRY.exec(entry)?.groups ?? {}
    // Postgres begins each further line of a message with a tab.
    const whole = message.replaceAll('\n\t', '\n').trim()
    const text = STATEMENT.exec(whole)?.groups?.text?.trim()
    if (level === 'LOG' && text !== undefined) statements.push({ application, pid, text, parameters: [] })
    const last = statements.findLast((statement) => statement.pid === pid)
    if (level === 'DETAIL' && last && /^parameters: /i.test(whole)) {
      last.parameters = [...whole.matchAll(PARAMETER)].map(([, value]) => value?.replaceAll("''", "'") ?? null)
    }
  }
  return statements
}

/** The statements of each transaction, from `begin` to `commit`; a statement outside of one is a transaction. */
export function transactionsOf(statements: readonly LoggedStatement[]): LoggedStatement[][] {
  const transactions: LoggedStatement[][] = []
  const open = new Map<string, LoggedStatement[]>()
  for (const statement of statements) {
    const { pid, text } = statement
    const transaction = open.get(pid) ?? []
    if (transaction.push(statement) === 1) transactions.push(transaction)
    if (/^begin\b/i.test(text)) open.set(pid, transaction)
    if (/^(commit|rollback)\b/i.test(text)) open.delete(pid)
  }
  return transactions
}
