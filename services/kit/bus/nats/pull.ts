import { ConsumerEvents, type JsMsg } from 'nats'
import type { NatsSession } from './connection.ts'

const PULLED_AT_ONCE = 100
const PULL_EXPIRES_MS = 5000
const IDLE_HEARTBEAT_MS = 1000

/** After these events the consumer may be lost or incomplete, so it is looked up or created again. */
const FAILURES: ReadonlySet<string> = new Set([
  ConsumerEvents.HeartbeatsMissed,
  ConsumerEvents.ConsumerNotFound,
  ConsumerEvents.StreamNotFound,
  ConsumerEvents.ConsumerDeleted,
  ConsumerEvents.NoResponders,
])

/** Delivers the messages of a consumer until the signal, the end of the session or a failure. */
export async function pull(
  session: NatsSession,
  stream: string,
  consumer: string,
  onMessage: (message: JsMsg) => void,
  ends: AbortSignal,
): Promise<void> {
  const found = await session.js.consumers.get(stream, consumer)
  const messages = await found.consume({
    max_messages: PULLED_AT_ONCE,
    expires: PULL_EXPIRES_MS,
    idle_heartbeat: IDLE_HEARTBEAT_MS,
    callback: onMessage,
  })
  const stop = () => messages.stop()
  const over = AbortSignal.any([ends, session.closed])
  over.addEventListener('abort', stop)
  try {
    if (over.aborted) return
    for await (const { type } of await messages.status()) if (FAILURES.has(type)) return
  } finally {
    over.removeEventListener('abort', stop)
    stop()
  }
}
