import type { Tx } from './client.ts'

/** Serializes the transactions that lock the same name and id, until each one ends. */
export const lockByName = (tx: Tx, name: string, id = '') => tx`
  select pg_advisory_xact_lock(hashtextextended(${`${name} ${id}`}, 0))`
