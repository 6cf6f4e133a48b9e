import type { Envelope } from '../../../../proto/events/envelope.ts'
import type { SubscribedEvent } from '../../../../proto/events/events.ts'
import type { Tx } from '../../db/client.ts'

export interface ConsumeOptions {
  /** Stable name within the service, because it identifies the cursor. */
  name: string
  /** Event types or patterns: `*` matches one word, a trailing `>` one or more. */
  subjects: readonly string[]
  /**
   * Handles an event. All effects must go through the transaction, which also marks the event as processed. An error
   * schedules a retry; after the last attempt the event is a dead letter.
   */
  handle(tx: Tx, event: Envelope): Promise<void>
  /** Handles a batch together, with the effects of `handle` for each event. If it throws, each is handled alone. */
  handleAll?(tx: Tx, events: readonly Envelope[]): Promise<void>
}

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
