import type { Envelope } from '../../../proto/events/envelope.ts'
import type { Tx } from '../db/client.ts'

export interface Consume {
  /** Names the consumer within its service, for ever: its cursor hangs on it. */
  name: string
  /** Types, or patterns of them: `*` is exactly one word, `>` at the end one or more. */
  subjects: readonly string[]
  /**
   * Has effects through the transaction alone, so that they are kept together with the fact that the event was
   * handled. Must not outlive its promise. Throwing puts the event off; after the last try it is a dead letter.
   */
  handle(tx: Tx, event: Envelope): Promise<void>
}

export interface Follow {
  subjects: readonly string[]
  /** Hears an event, at once and synchronously; copies are possible. If it throws, `onGap` is called. */
  onEvent(event: Envelope): void
  /**
   * Loads the state anew: called before `follow` resolves and after every interruption. What is heard meanwhile is
   * told afterwards. If it throws it is called again.
   */
  onGap(): Promise<void> | void
}
