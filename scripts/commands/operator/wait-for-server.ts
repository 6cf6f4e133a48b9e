import { isDependencyFailure } from '../../../services/kit/db/failures.ts'
import { CommandError, reasonOf } from '../../toolchain/command-error.ts'

/** A failure that another attempt would repeat. The exit code 2 tells the Job of the chart so. */
export class PermanentRefusal extends CommandError {
  override name = 'PermanentRefusal'
}

export const EXIT_PERMANENT = 2

/** Two attempts of a Job end before the five minutes that Helm waits by default. */
const WAIT_MS = 120_000
const PAUSE_MS = 1000
const SAY_EVERY_MS = 15_000

interface Server {
  /** Its name and address, without credentials. */
  name: string
  connect: () => Promise<unknown>
  /** Default: two minutes. */
  waitMs?: number
}

/** Waits until a server answers, and says so. A server that answers with a refusal ends the wait. */
export async function waitForServer({ name, connect, waitMs = WAIT_MS }: Server): Promise<void> {
  const began = performance.now()
  let saidMs = Number.NEGATIVE_INFINITY
  for (;;) {
    const error = await connect().then(
      () => undefined,
      (failure: unknown) => failure as Error & { code?: string },
    )
    if (error === undefined) return
    const reason = reasonOf(error)
    if (!isAbsent(error)) throw new PermanentRefusal(`${name} refuses the connection: ${reason}.`)
    const nowMs = performance.now()
    if (nowMs - began > waitMs) throw new CommandError(`${name} does not answer: ${reason}.`)
    if (nowMs - saidMs > SAY_EVERY_MS) {
      saidMs = nowMs
      console.log(`Waiting for ${name}: ${reason}.`)
    }
    await Bun.sleep(PAUSE_MS)
  }
}

/** Codes of the driver of NATS. */
const ABSENT = new Set(['CONNECTION_REFUSED', 'CONNECTION_TIMEOUT', 'TIMEOUT', 'DISCONNECT', '503'])

/** A server that does not answer yet. A wrong password is no failure that passes. */
const isAbsent = (error: { code?: string }) =>
  error.code !== '28P01' && (isDependencyFailure(error) || ABSENT.has(error.code ?? ''))
