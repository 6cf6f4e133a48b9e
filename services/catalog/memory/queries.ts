import type { Tx } from '../../kit/db/client.ts'

/** Rows of one fetch, few enough to serve requests in between. */
const ROWS_AT_A_TIME = 1000

interface ListedRows {
  rows: { view: string; columns: readonly string[] }
  key: string
  orderBy: string
}

/** The current entries of a catalog in list order: by code, otherwise by id, with the key as the tie-break. */
export const readEntries = (tx: Tx, { rows, key, orderBy }: ListedRows) =>
  tx<Record<string, unknown>[]>`
  select ${tx([...rows.columns])}
  from ${tx(rows.view)}
  order by coalesce(${tx(orderBy)}, ${tx(key)}) collate "C", ${tx(key)} collate "C"`.cursor(ROWS_AT_A_TIME)

/** Sorting the largest catalog on a busy server takes longer than the statements of requests may. */
export const setLongTimeout = (tx: Tx) => tx`set local statement_timeout = '60s'`
