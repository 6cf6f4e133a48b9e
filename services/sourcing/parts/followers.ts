import type { Tx } from '../../kit/db/client.ts'

/** What happens in other features in the transaction of a change of parts. `service.ts` provides it. */
interface PartFollowers {
  /** Ends the live subscriptions to a part that is deleted. */
  endSubscriptions(tx: Tx, partId: string, now: string): Promise<void>
}

export interface PartDeps {
  followers: PartFollowers
}
