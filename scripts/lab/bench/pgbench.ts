import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { ServiceName } from '../../../proto/services.ts'
import { run, tail } from '../../toolchain/run.ts'
import { type Side, sideOf } from './compare.ts'
import { type Database, urlOfService } from './database.ts'
import type { LoggedStatement } from './statements.ts'

const CLIENTS = [1, 2, 4, 8, 16]
const LONGEST_SECONDS = 10

interface Script {
  text: string
  variables: Readonly<Record<string, string | number>>
}

/**
 * Statements as a script: `$1` of the first one becomes the variable `s0p1`, or an expression of it. Null and empty
 * text have no variable, because pgbench accepts neither.
 */
export function pgbenchScript(
  statements: readonly LoggedStatement[],
  expressionOf = (variable: string, _value: string) => variable,
): Script {
  const variables: Record<string, string> = {}
  const lines = statements.map(({ text, parameters }, at) => {
    const line = text.replaceAll(/\$(\d+)/g, (_, number) => {
      const value = parameters[Number(number) - 1]
      if (value === null || value === undefined) return 'null'
      if (value === '') return "''"
      variables[`s${at}p${number}`] = value
      return expressionOf(`:s${at}p${number}`, value)
    })
    return `${line};\n`
  })
  return { text: lines.join(''), variables }
}

/** Ids and serial numbers of new records, which differ in each transaction. */
const UNIQUE = /(?:part|order|assignment|case|task|evt|audit)_[0-9A-HJKMNP-TV-Z]{26}|[PO]-[0-9A-HJKMNP-TV-Z]{8}/g

/** An expression for a parameter in which new ids and serial numbers contain the variable `n` of the script. */
export function uniqueIds() {
  const known = new Map<string, number>()
  return (variable: string, value: string): string =>
    [...new Set(value.match(UNIQUE))].reduce((expression, id) => {
      const number = known.get(id) ?? known.size
      known.set(id, number)
      return `replace(${expression}, '${id}', concat('${id.slice(0, 4)}', :n::text, '-', ${number}))`
    }, variable)
}

/** A script with the role of a service, for each number of clients. */
export const pgbenchSide = (
  database: Database,
  service: ServiceName,
  script: Script,
  counts: readonly number[] = CLIENTS,
): Side =>
  sideOf('clients', counts, (clients) => (seconds) => runPgbench(database, service, script, { clients, seconds }))

interface Load {
  clients: number
  seconds: number
}

/** Runs a script of prepared statements; returns the transactions in a second. */
export async function runPgbench(
  database: Database,
  service: ServiceName,
  script: Script,
  { clients, seconds }: Load,
): Promise<number> {
  const file = join(database.folder, 'pgbench.sql')
  await writeFile(file, script.text)
  const url = new URL(urlOfService(database, service))
  const command = [
    ...['pgbench', '--no-vacuum', '--protocol=prepared', `--file=${file}`],
    ...[`--client=${clients}`, `--jobs=${Math.min(clients, availableParallelism())}`, `--time=${seconds}`],
    ...Object.entries(script.variables).map(([name, value]) => `--define=${name}=${value}`),
    ...['--host', url.hostname, '--port', url.port, '--username', url.username, url.pathname.slice(1)],
  ]
  const env = { PATH: process.env.PATH, LC_ALL: 'C', PGPASSWORD: decodeURIComponent(url.password) }
  const { code, output } = await run(command, { env, timeoutMs: (seconds + 60) * 1000 })
  // On a loaded machine, opening the connections can take that long.
  if (code === 0 && seconds < LONGEST_SECONDS && / actually processed: 0\b/.test(output)) {
    return runPgbench(database, service, script, { clients, seconds: seconds * 2 })
  }
  const failed = /number of failed transactions: (\d+)/.exec(output)?.[1] ?? '0'
  const rate = /^tps = ([\d.]+) /m.exec(output)?.[1]
  if (code !== 0 || failed !== '0' || rate === undefined) throw new Error(`pgbench failed: ${tail(output, 5)}`)
  return Number(rate)
}
