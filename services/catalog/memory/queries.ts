import type { Tx } from '../../kit/db/client.ts'
import { type Catalog, columnOf } from '../catalog.ts'

/** Rows fetched at a time: small enough for the process to answer requests in between. */
const ROWS_AT_A_TIME = 1000

/** The current entries of a catalog in the order of its lists: by code, by id where they have none, the key as tie-break. */
export const readEntries = (tx: Tx, { view, item, key, orderBy }: Catalog) =>
  tx<Record<string, unknown>[]>`
  select ${tx(Object.keys(item.properties).map(columnOf))}
  from ${tx(view)}
  order by coalesce(${tx(orderBy)}, ${tx(key)}) collate "C", ${tx(key)} collate "C"`.cursor(ROWS_AT_A_TIME)
