import { availableParallelism } from 'node:os'
import { run, tail } from '../../toolchain/run.ts'

/** Whether this machine has pgbench; it comes with Postgres's client tools, and no package registry of ours has it. */
export const hasPgbench = () => Bun.which('pgbench') !== null

export interface Transaction {
  /** Whom the statement runs as, and where. */
  url: string
  /** A file of pgbench's. */
  script: string
  variables: Readonly<Record<string, string | number>>
  clients: number
}

/** Runs one statement again and again over the extended protocol, prepared once; answers how often in a second. */
export async function runPgbench({ url, script, variables, clients }: Transaction, seconds: number): Promise<number> {
  const { hostname, port, username, password, pathname } = new URL(url)
  const command = [
    ...['pgbench', '--no-vacuum', '--protocol=prepared', `--file=${script}`],
    ...[`--client=${clients}`, `--jobs=${Math.min(clients, availableParallelism())}`, `--time=${seconds}`],
    ...Object.entries(variables).map(([name, value]) => `--define=${name}=${value}`),
    ...['--host', hostname, '--port', port, '--username', username, pathname.slice(1)],
  ]
  const env = { PATH: process.env.PATH, LC_ALL: 'C', PGPASSWORD: decodeURIComponent(password) }
  const { code, output } = await run(command, { env, timeoutMs: (seconds + 60) * 1000 })
  const rate = transactionsPerSecond(output)
  if (code !== 0 || rate === undefined) throw new Error(`pgbench failed:\n${tail(output)}`)
  return rate
}

/** What pgbench reports, unless a transaction failed: then there is nothing to compare. */
export function transactionsPerSecond(report: string): number | undefined {
  const failed = /number of failed transactions: (\d+)/.exec(report)?.[1] ?? '0'
  const rate = /^tps = ([\d.]+) /m.exec(report)?.[1]
  return failed === '0' && rate !== undefined ? Number(rate) : undefined
}
