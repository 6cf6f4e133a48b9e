import { fastest, type Pace, type Run } from '../rounds.ts'
import type { RequestText } from './exchange.ts'
import { sendRequests } from './load.ts'
import { runPgbench, type Transaction } from './pgbench.ts'

const CONNECTIONS = [4, 8, 16, 32, 64]
const CLIENTS = [1, 2, 4, 8, 16]

/** One side at its best, and how many clients that takes. */
export interface Side {
  run: Run
  clients: number
}

/** A server that answers one request, with the number of connections that suits it. */
export async function serverSide(
  { port, request, connections = CONNECTIONS }: { port: number; request: RequestText; connections?: number[] },
  trial: Pace,
): Promise<Side> {
  const way =
    (count: number): Run =>
    (seconds) =>
      sendRequests({ port, request, connections: count, seconds })
  return bestOf(connections, way, trial)
}

/** pgbench with the number of clients that suits it. */
export const databaseSide = (
  { numbers = CLIENTS, ...transaction }: Omit<Transaction, 'clients'> & { numbers?: readonly number[] },
  trial: Pace,
): Promise<Side> => bestOf(numbers, (clients) => (seconds) => runPgbench({ ...transaction, clients }, seconds), trial)

async function bestOf(counts: readonly number[], way: (count: number) => Run, trial: Pace): Promise<Side> {
  const clients = Number(await fastest(Object.fromEntries(counts.map((count) => [count, way(count)])), trial))
  return { clients, run: way(clients) }
}
