import { ConsumerEvents, type JsMsg } from 'nats'
import type { Live } from './link.ts'

const PULLED_AT_ONCE = 100
const PULL_EXPIRES_MS = 5000
const IDLE_HEARTBEAT_MS = 1000

/** After any of these the consumer may be gone or may have missed something: it is looked up again, or made anew. */
const TROUBLE: ReadonlySet<string> = new Set([
  ConsumerEvents.HeartbeatsMissed,
  ConsumerEvents.ConsumerNotFound,
  ConsumerEvents.StreamNotFound,
  ConsumerEvents.ConsumerDeleted,
  ConsumerEvents.NoResponders,
])

/** Takes messages of a consumer as they come, until the signal, the end of the connection or a doubt about it. */
export async function pull(
  live: Live,
  stream: string,
  consumer: string,
  onMessage: (message: JsMsg) => void,
  ends: AbortSignal,
): Promise<void> {
  const found = await live.js.consumers.get(stream, consumer)
  const messages = await found.consume({
    max_messages: PULLED_AT_ONCE,
    expires: PULL_EXPIRES_MS,
    idle_heartbeat: IDLE_HEARTBEAT_MS,
    callback: onMessage,
  })
  const stop = () => messages.stop()
  const over = AbortSignal.any([ends, live.down])
  over.addEventListener('abort', stop)
  try {
    if (over.aborted) return
    for await (const { type } of await messages.status()) if (TROUBLE.has(type)) return
  } finally {
    over.removeEventListener('abort', stop)
    stop()
  }
}
