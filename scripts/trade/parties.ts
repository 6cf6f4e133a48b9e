import type { Factory } from '../../proto/http/sourcing/factories.ts'
import type { ApiClient } from '../../services/testing/client.ts'

/** An organization of the trade, with a user of it signed in. */
export interface Party {
  orgId: string
  name: string
  client: ApiClient
}

export interface Maker extends Party {
  factory: Factory
}

export interface Parties {
  /** Owns the design. */
  designer: Party
  buyer: Party
  /** Sells the orders of the award. */
  seller: Party
  printer: Maker
  welder: Maker
  /** Declines. */
  laser: Maker
}
