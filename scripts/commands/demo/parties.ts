import type { Factory, Marketplace } from '../../../proto/clients/typescript/src/index.ts'

/** An organization of the trade, with a user of it signed in. */
export interface Party {
  orgId: string
  name: string
  client: Marketplace
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
