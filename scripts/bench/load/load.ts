import { join } from 'node:path'
import { BUN } from '../../toolchain/checkout.ts'
import { run, tail } from '../../toolchain/run.ts'
import type { RequestText } from './exchange.ts'

export interface Load {
  port: number
  connections: number
  seconds: number
}

/** Before a side is measured it works this long: connections are open then, statements prepared and code compiled. */
export const WARM_UP_MS = 500

/** Sends one request again and again, and answers how many were answered in a second. */
export async function sendRequests(load: Load & { request: RequestText }): Promise<number> {
  const { perSecond } = await play<{ perSecond: number }>('clients.ts', load)
  return perSecond
}

/** Refreshes sessions, one for each token, and answers the tokens to go on with as well. */
export const refreshSessions = (load: Omit<Load, 'connections'> & { tokens: readonly string[] }) =>
  play<{ perSecond: number; tokens: string[] }>('refreshers.ts', load)

async function play<Result>(program: string, load: { seconds: number }): Promise<Result> {
  const timeoutMs = (load.seconds + 30) * 1000
  const { code, output } = await run([BUN, join(import.meta.dir, program), JSON.stringify(load)], { timeoutMs })
  if (code !== 0) throw new Error(`The clients gave up:\n${tail(output)}`)
  return JSON.parse(output)
}
