import { AckPolicy, DeliverPolicy, nanos } from 'nats'
import type { StreamName } from '../../../../proto/events/envelope.ts'
import { newId } from '../../db/ids.ts'
import { pause } from '../../worker/worker.ts'
import type { Follower } from '../follower.ts'
import type { BusLog } from '../log.ts'
import { byStream, commonFilter } from '../subjects.ts'
import type { Link, Live } from './link.ts'
import { readMessage } from './message.ts'
import { pull } from './pull.ts'

const RETRY_PAUSE_MS = 200
/** The server forgets a follower whose process is gone after this time. */
const FORGOTTEN_AFTER_MS = 30_000

/**
 * Lets a follower hear, by a consumer of its own on each stream, from the last event there was when it began. It hears
 * only while it hears all of them. After any interruption it begins anew and is told that something may be missing.
 */
export function followStreams(link: Link, follower: Follower, log: BusLog): () => void {
  const closed = new AbortController()
  const streams = [...byStream(follower.subjects)]
  let hearing = 0
  const part = {
    hears: () => {
      if (++hearing === streams.length) void follower.hearing()
    },
    deaf: () => {
      hearing--
      follower.deaf()
    },
  }
  for (const [stream, subjects] of streams) {
    void followStream(link, stream, commonFilter(subjects), follower, part, log, closed.signal)
  }
  return () => closed.abort()
}

interface Part {
  hears(): void
  deaf(): void
}

async function followStream(
  link: Link,
  stream: StreamName,
  filter: string | undefined,
  follower: Follower,
  part: Part,
  log: BusLog,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const live = await link.up(signal)
    if (!live) return
    try {
      const consumer = await beginNow(live, stream, filter)
      part.hears()
      try {
        await listen(live, stream, consumer, follower, log, signal)
      } finally {
        part.deaf()
      }
      if (signal.aborted) await live.jsm.consumers.delete(stream, consumer).catch(() => {})
    } catch (error) {
      if (!signal.aborted) log.warn({ stream, err: error }, 'stream cannot be followed; trying again')
    }
    await pause(RETRY_PAUSE_MS, signal)
  }
}

/** A consumer that gives what comes after this moment. The sequence says so exactly, "new" would say about. */
async function beginNow(live: Live, stream: StreamName, filter: string | undefined): Promise<string> {
  const { state } = await live.jsm.streams.info(stream)
  const { name } = await live.jsm.consumers.add(stream, {
    name: newId('follow'),
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: state.last_seq + 1,
    inactive_threshold: nanos(FORGOTTEN_AFTER_MS),
    mem_storage: true,
    num_replicas: 1,
    ...(filter === undefined ? {} : { filter_subject: filter }),
  })
  return name
}

async function listen(
  live: Live,
  stream: StreamName,
  consumer: string,
  follower: Follower,
  log: BusLog,
  signal: AbortSignal,
): Promise<void> {
  const torn = new AbortController()
  let heard = 0
  const onMessage = (message: Parameters<Parameters<typeof pull>[3]>[0]) => {
    // Numbered without gaps: a number that is left out was lost on the way.
    if (message.info.deliverySequence !== ++heard) return torn.abort()
    const incoming = readMessage(stream, message.seq, message.subject, message.data)
    if ('event' in incoming) follower.hear(incoming.event)
    else log.warn({ stream, ...incoming.malformed, text: undefined }, 'not an event')
  }
  await pull(live, stream, consumer, onMessage, AbortSignal.any([signal, torn.signal]))
}
