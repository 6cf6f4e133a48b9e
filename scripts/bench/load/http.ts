import { join } from 'node:path'
import type { ApiClient } from '../../../services/testing/client.ts'
import { BUN } from '../../toolchain/checkout.ts'
import { run, tail } from '../../toolchain/run.ts'
import type { Side } from '../compare.ts'
import type { RequestText } from './connection.ts'

const CONNECTIONS = [4, 8, 16, 32, 64]

export interface Load {
  port: number
  connections: number
  seconds: number
  /** Sent by every connection. */
  request?: RequestText
  /** Refreshed instead: a session for each connection. */
  tokens?: string[]
}

/** Runs the clients in a process of their own. */
export async function sendRequests(load: Load): Promise<{ perSecond: number; tokens: string[] }> {
  const command = [BUN, join(import.meta.dir, 'clients.ts'), JSON.stringify(load)]
  const { code, output } = await run(command, { timeoutMs: (load.seconds + 30) * 1000 })
  if (code !== 0) throw new Error(`The clients failed: ${tail(output, 5)}`)
  return JSON.parse(output)
}

/** A side for each number of connections. */
export const httpSide = (port: number, request: RequestText, counts: readonly number[] = CONNECTIONS): Side =>
  Object.fromEntries(
    counts.map((connections) => [
      `${connections} connections`,
      async (seconds) => (await sendRequests({ port, request, connections, seconds })).perSecond,
    ]),
  )

/** A request of a signed-in client, to the service of its URL. */
export const clientSide = (client: ApiClient, { headers, ...request }: RequestText, counts?: readonly number[]): Side =>
  httpSide(
    Number(new URL(client.url).port),
    { ...request, headers: { Authorization: `Bearer ${client.accessToken}`, ...headers } },
    counts,
  )
