import type { LeaderElection } from '../../sessions/leader-election.ts'
import type { WakeSignal } from '../../worker/wake-signal.ts'
import { pause, type Worker } from '../../worker/worker.ts'
import type { Publisher } from '../driver/driver.ts'

interface RelayOptions {
  election: LeaderElection
  publisher: Publisher
  /** Notified at each commit that adds events to the outbox. */
  wake: WakeSignal
  heartbeatMs: number
}

const BLOCKED_PAUSE_MS = 250

/**
 * The worker that publishes the outbox of a service while it is the leader. Heartbeats are sent by the same loop and
 * only when the outbox is empty, so that a relay that is blocked or has a backlog sends none.
 */
export const createRelay = ({ election, publisher, wake, heartbeatMs }: RelayOptions): Worker => ({
  name: 'relay',
  run: (signal) =>
    election.lead('relay', signal, async (session, leadership) => {
      let lastHeartbeatMs = Number.NEGATIVE_INFINITY
      while (!leadership.aborted) {
        const state = await publisher.publishPending(session)
        if (state === 'more') continue
        if (state === 'blocked') {
          await pause(BLOCKED_PAUSE_MS, leadership)
          continue
        }
        if (performance.now() - lastHeartbeatMs >= heartbeatMs) {
          await publisher.publishHeartbeat(session)
          lastHeartbeatMs = performance.now()
        }
        await wake.wait(Math.max(0, lastHeartbeatMs + heartbeatMs - performance.now()), leadership)
      }
    }),
})
