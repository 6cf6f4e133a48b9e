import type { WakeSignal } from '../../worker/wake-signal.ts'
import { pause, type Worker } from '../../worker/worker.ts'
import type { Seats } from '../seats.ts'
import type { Session } from '../session.ts'

/** What a driver of the bus does for the relay of a service. */
export interface Outlet {
  /** Hands on a batch of what waits in the outbox, and tells whether more waits, or whether it could not. */
  drain(session: Session): Promise<'empty' | 'more' | 'stuck'>
  /** Tells everybody that all that was announced so far has been handed on. */
  beat(session: Session): Promise<void>
}

export interface RelayOptions {
  seats: Seats
  outlet: Outlet
  /** Called at each commit that put something into the outbox. */
  wake: WakeSignal
  heartbeatMs: number
}

const STUCK_PAUSE_MS = 250

/**
 * The one process of a service that empties its outbox. The heartbeat comes out of the same loop, and only when the
 * outbox was just found empty: a relay that is stuck or behind says nothing, so its listeners stop trusting it.
 */
export const createRelay = ({ seats, outlet, wake, heartbeatMs }: RelayOptions): Worker => ({
  name: 'relay',
  run: (signal) =>
    seats.hold('relay', signal, async (session, ends) => {
      let lastBeat = Number.NEGATIVE_INFINITY
      while (!ends.aborted) {
        const state = await outlet.drain(session)
        if (state === 'more') continue
        if (state === 'stuck') {
          await pause(STUCK_PAUSE_MS, ends)
          continue
        }
        if (performance.now() - lastBeat >= heartbeatMs) {
          await outlet.beat(session)
          lastBeat = performance.now()
        }
        await wake.wait(Math.max(0, lastBeat + heartbeatMs - performance.now()), ends)
      }
    }),
})
