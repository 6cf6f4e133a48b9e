import type { Envelope } from '../../../../proto/events/envelope.ts'
import type { EventOf, EventType } from '../../../../proto/events/events.ts'
import type { Tx } from '../../db/client.ts'

/** An event of one of the subjects. The compiler knows the data of types, and not of patterns. */
type Delivered<Subject extends string> = Subject extends EventType ? Envelope & EventOf<Subject> : Envelope

interface Consumption<Subject extends string> {
  /** Stable name within the service, because it identifies the cursor. */
  name: string
  /** Event types or patterns: `*` matches one word, a trailing `>` one or more. */
  subjects: readonly Subject[]
}

/**
 * Handles an event. All effects must go through the transaction, which also marks the event as processed. An error
 * schedules a retry; after the last attempt the event is a dead letter.
 */
interface EventHandler<Subject extends string> {
  handle(tx: Tx, event: Delivered<Subject>): Promise<void>
  handleAll?: never
}

/** Handles a batch together, with the same effects. If it throws, each event is handled alone. */
interface BatchHandler<Subject extends string> {
  handleAll(tx: Tx, events: readonly Delivered<Subject>[]): Promise<void>
  handle?: never
}

export type ConsumeOptions<Subject extends string = string> = Consumption<Subject> &
  (EventHandler<Subject> | BatchHandler<Subject>)

export interface SubscribeOptions<Subject extends string = string> {
  subjects: readonly Subject[]
  /** Called synchronously for each event. Duplicates are possible. If it throws, `onGap` is called. */
  onEvent(event: Delivered<Subject>): void
  /**
   * Loads the whole state. It is called before `subscribe` resolves and after every interruption. Events that arrive
   * meanwhile are delivered afterwards. If it throws, it is called again.
   */
  onGap(): Promise<void> | void
}
