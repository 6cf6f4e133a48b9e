import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { ServiceName } from '../../../proto/services.ts'
import { run, tail } from '../../toolchain/run.ts'
import { type Side, sideOf } from './compare.ts'
import { type Database, urlOfService } from './database.ts'

const CLIENTS = [1, 2, 4, 8, 16]
const LONGEST_SECONDS = 10

export interface Script {
  text: string
  variables: Readonly<Record<string, string | number>>
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
