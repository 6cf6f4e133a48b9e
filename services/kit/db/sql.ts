import type postgres from 'postgres'

/** A pool or a transaction. Query functions accept both. */
export type Sql = postgres.Sql | postgres.TransactionSql
/** A connection pool, which can begin transactions. */
export type Pool = postgres.Sql
/** A transaction, shared by a state change, its history, audit entry and event. */
export type Tx = postgres.TransactionSql

/** A part of a statement, such as a condition or the name of a column. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>
