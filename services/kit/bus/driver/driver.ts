import type { Envelope } from '../../../../proto/events/envelope.ts'
import type { Session } from '../../sessions/session.ts'
import type { WakeSignal } from '../../worker/wake-signal.ts'

/** The interface of a bus driver. A driver publishes the outbox to its logs, and reads logs from a position. */
export interface Driver {
  publisher: Publisher
  /** The names of all logs. */
  sources: readonly string[]
  /** Opens a feed of each log that the consumer reads, until the signal aborts. */
  feeds(request: FeedRequest, signal: AbortSignal): Feed[]
  /** Delivers new events to a subscriber. Returns a function that ends it. */
  subscribe(receiver: EventReceiver): () => void
  isConnected(): boolean
  close(): Promise<void>
}

/** The part of a bus driver that publishes the outbox. */
export interface Publisher {
  /** Publishes a batch of the outbox. Returns whether the outbox is empty, has more rows, or could not be published. */
  publishPending(session: Session): Promise<'empty' | 'more' | 'blocked'>
  /** Publishes a heartbeat, which means that all events before it were published. */
  publishHeartbeat(session: Session): Promise<void>
}

interface FeedRequest {
  subjects: readonly string[]
  /** Notified when events may be available. */
  wake: WakeSignal
  /** The stored position of the consumer in a log. */
  positionIn(source: string): Promise<Position>
}

/** Reads one log. */
export interface Feed {
  /** The name of the log. */
  source: string
  /** The next batch after the cursor, oldest first; the same one until the cursor moves. Undefined if there is none. */
  next(cursor: Cursor): Promise<Batch | undefined>
  /** Number of events after the cursor, at most 10,000. Undefined while the log cannot be read. */
  lag(cursor: Cursor): Promise<number | undefined>
}

/** Position of a consumer in a log. 64-bit numbers are strings, because JavaScript numbers would round them. */
export interface Position {
  /** The transaction ids between which an outbox is read, from `low` to below `high`. Not used for streams. */
  low: string
  high: string
  seq: string
  /** Creation time of the stream, which differs after the stream was created again. Null for an outbox. */
  epoch: string | null
}

/** The stored position of a consumer. */
export interface Cursor extends Position {
  consumer: string
  source: string
  /** Changes whenever the cursor moves. */
  version: string
}

export interface Batch {
  received: readonly Received[]
  /** Position of the cursor after the batch. */
  to: Position
}

/** A message of a log: an event, or a message that is not a valid event. */
export type Received = { event: Envelope } | { malformed: Malformed }

export interface Malformed {
  /** Position in its log, because its own id cannot be trusted. */
  id: string
  text: string
  reason: string
}

/** A subscription, as a driver sees it. */
export interface EventReceiver {
  subjects: readonly string[]
  matches(type: string): boolean
  receive(event: Envelope): void
  /** Events arrive from now on; earlier ones may have been missed. */
  connected(): Promise<void>
  disconnected(): void
  /** Events may have been missed. */
  reload(): Promise<void>
}
