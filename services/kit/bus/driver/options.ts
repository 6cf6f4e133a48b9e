import type { Envelope } from '../../../../proto/events/envelope.ts'
import type { SubscribedEvent } from '../../../../proto/events/events.ts'
import type { Tx } from '../../db/client.ts'

interface Consumption {
  /** Stable name within the service, because it identifies the cursor. */
  name: string
  /** Event types or patterns: `*` matches one word, a trailing `>` one or more. */
  subjects: readonly string[]
}

/**
 * Handles an event. All effects must go through the transaction, which also marks the event as processed. An error
 * schedules a retry; after the last attempt the event is a dead letter.
 */
interface EventHandler {
  handle(tx: Tx, event: Envelope): Promise<void>
  handleAll?: never
}

/** Handles a batch together, with the same effects. If it throws, each event is handled alone. */
interface BatchHandler {
  handleAll(tx: Tx, events: readonly Envelope[]): Promise<void>
  handle?: never
}

export type ConsumeOptions = Consumption & (EventHandler | BatchHandler)

export interface SubscribeOptions {
  subjects: readonly SubscribedEvent[]
  /** Called synchronously for each event. Duplicates are possible. If it throws, `onGap` is called. */
  onEvent(event: Envelope): void
  /**
   * Loads the whole state. It is called before `subscribe` resolves and after every interruption. Events that arrive
   * meanwhile are delivered afterwards. If it throws, it is called again.
   */
  onGap(): Promise<void> | void
}
