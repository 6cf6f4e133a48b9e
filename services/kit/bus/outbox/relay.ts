import type { WakeSignal } from '../../worker/wake-signal.ts'
import { pause, type Worker } from '../../worker/worker.ts'
import type { LeaderElection } from '../leader-election.ts'
import type { Session } from '../session.ts'

/** The part of a bus driver that publishes the outbox. */
export interface Publisher {
  /** Publishes a batch of the outbox. Returns whether the outbox is empty, has more rows, or could not be published. */
  publishPending(session: Session): Promise<'empty' | 'more' | 'blocked'>
  /** Publishes a heartbeat, which means that all events before it were published. */
  publishHeartbeat(session: Session): Promise<void>
}

interface RelayOptions {
  election: LeaderElection
  publisher: Publisher
  /** Notified at each commit that adds events to the outbox. */
  wake: WakeSignal
  heartbeatMs: number
}

const BLOCKED_PAUSE_MS = 250

/**
 * The worker that publishes the outbox of a service while it is the leader. Heartbeats are sent by the same loop and only
 * when the outbox is empty, so that a relay that is blocked or has a backlog sends none.
 */
export const createRelay = ({ election, publisher, wake, heartbeatMs }: RelayOptions): Worker => ({
  name: 'relay',
  run: (signal) =>
    election.lead('relay', signal, async (session, ends) => {
      let lastHeartbeatMs = Number.NEGATIVE_INFINITY
      while (!ends.aborted) {
        const state = await publisher.publishPending(session)
        if (state === 'more') continue
        if (state === 'blocked') {
          await pause(BLOCKED_PAUSE_MS, ends)
          continue
        }
        if (performance.now() - lastHeartbeatMs >= heartbeatMs) {
          await publisher.publishHeartbeat(session)
          lastHeartbeatMs = performance.now()
        }
        await wake.wait(Math.max(0, lastHeartbeatMs + heartbeatMs - performance.now()), ends)
      }
    }),
})
