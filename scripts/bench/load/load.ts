import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { BUN } from '../../toolchain/checkout.ts'
import { run, tail } from '../../toolchain/run.ts'
import { fastest, type Pace, type Run } from '../rounds.ts'
import type { RequestText } from './exchange.ts'

const CONNECTIONS = [4, 8, 16, 32, 64]
const PGBENCH_CLIENTS = [1, 2, 4, 8, 16]

/** A side of a comparison with its best number of clients. */
export interface Side {
  run: Run
  clients: number
}

export interface Load {
  port: number
  connections: number
  seconds: number
  /** Sent by every connection. */
  request?: RequestText
  /** Refreshed instead: a session for each connection. */
  tokens?: readonly string[]
}

/** Runs the clients in a process of their own. */
export async function sendRequests(load: Load): Promise<{ perSecond: number; tokens: string[] }> {
  const command = [BUN, join(import.meta.dir, 'clients.ts'), JSON.stringify(load)]
  const { code, output } = await run(command, { timeoutMs: (load.seconds + 30) * 1000 })
  if (code !== 0) throw new Error(`The clients failed: ${tail(output, 5)}`)
  return JSON.parse(output)
}

interface Target {
  port: number
  request: RequestText
  connections?: readonly number[]
}

export const serverSide = ({ port, request, connections = CONNECTIONS }: Target, trial: Pace): Promise<Side> =>
  bestOf(
    connections,
    (count) => async (seconds) => (await sendRequests({ port, request, connections: count, seconds })).perSecond,
    trial,
  )

export interface Transaction {
  /** The database, with the role of the service. */
  url: string
  /** A pgbench script. */
  script: string
  variables?: Readonly<Record<string, string | number>>
  clients?: readonly number[]
}

export const databaseSide = ({ clients = PGBENCH_CLIENTS, ...transaction }: Transaction, trial: Pace): Promise<Side> =>
  bestOf(clients, (count) => (seconds) => runPgbench(transaction, count, seconds), trial)

/** The variant with the best number of clients; a single number needs no trial. */
export async function bestOf(counts: readonly number[], variant: (count: number) => Run, trial: Pace): Promise<Side> {
  const variants = Object.fromEntries(counts.map((count) => [count, variant(count)]))
  const clients = Number(counts.length === 1 ? counts[0] : await fastest(variants, trial))
  return { clients, run: variant(clients) }
}

/** pgbench is part of Postgres's client tools. No package registry has it. */
export const hasPgbench = () => Bun.which('pgbench') !== null

const LONGEST_SECONDS = 10

/** Runs a script of prepared statements; returns the transactions in a second. */
export async function runPgbench(transaction: Transaction, clients: number, seconds: number): Promise<number> {
  const { url, script, variables = {} } = transaction
  const { hostname, port, username, password, pathname } = new URL(url)
  const command = [
    ...['pgbench', '--no-vacuum', '--protocol=prepared', `--file=${script}`],
    ...[`--client=${clients}`, `--jobs=${Math.min(clients, availableParallelism())}`, `--time=${seconds}`],
    ...Object.entries(variables).map(([name, value]) => `--define=${name}=${value}`),
    ...['--host', hostname, '--port', port, '--username', username, pathname.slice(1)],
  ]
  const env = { PATH: process.env.PATH, LC_ALL: 'C', PGPASSWORD: decodeURIComponent(password) }
  const { code, output } = await run(command, { env, timeoutMs: (seconds + 60) * 1000 })
  // On a loaded machine the connections alone can take that long.
  if (code === 0 && seconds < LONGEST_SECONDS && / actually processed: 0\b/.test(output)) {
    return runPgbench(transaction, clients, seconds * 2)
  }
  const failed = /number of failed transactions: (\d+)/.exec(output)?.[1] ?? '0'
  const rate = /^tps = ([\d.]+) /m.exec(output)?.[1]
  if (code !== 0 || failed !== '0' || rate === undefined) throw new Error(`pgbench failed: ${tail(output, 5)}`)
  return Number(rate)
}
