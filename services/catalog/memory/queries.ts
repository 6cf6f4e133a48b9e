import type { Tx } from '../../kit/db/client.ts'

/** Rows fetched at a time: small enough for the process to answer requests in between. */
const ROWS_AT_A_TIME = 1000

export interface ListedRows {
  rows: { view: string; columns: readonly string[] }
  key: string
  orderBy: string
}

/** The current entries of a catalog in the order of its lists: by code, by id where they have none, the key as tie-break. */
export const readEntries = (tx: Tx, { rows, key, orderBy }: ListedRows) =>
  tx<Record<string, unknown>[]>`
  select ${tx([...rows.columns])}
  from ${tx(rows.view)}
  order by coalesce(${tx(orderBy)}, ${tx(key)}) collate "C", ${tx(key)} collate "C"`.cursor(ROWS_AT_A_TIME)
