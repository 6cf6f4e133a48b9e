import type { Owner } from './owner.ts'

interface Fill {
  /** The tables to fill, with their schema. */
  tables: readonly string[]
  /** Triggers that records for load tests do not need, with the table of each. */
  without?: Readonly<Record<string, string>>
  count: number
}

/** Bounded, because a long transaction delays the event cursors of every database of the server. */
const BATCH_SIZE = 10_000

/**
 * Fills empty tables with the rows 1 to `count`, in batches. Building an index at the end is many times faster than
 * filling it row by row.
 */
export async function fill(
  owner: Owner,
  { tables, without = {}, count }: Fill,
  insertRows: (rows: { first: number; last: number }) => PromiseLike<unknown>,
): Promise<void> {
  const indexes = await owner<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid = any(${[...tables]}::regclass[]) and not indisunique`
  const triggers = Object.entries(without)
  for (const [trigger, table] of triggers) await owner.unsafe(`alter table ${table} disable trigger ${trigger}`)
  for (const { name } of indexes) await owner.unsafe(`drop index ${name}`)
  for (let first = 1; first <= count; first += BATCH_SIZE) {
    await insertRows({ first, last: Math.min(first + BATCH_SIZE - 1, count) })
  }
  await owner.begin(async (tx) => {
    // A row whose commit is not yet written to the journal keeps its page from being marked as visible to all, on which
    // plans depend; a synchronous commit writes the journal so far.
    await tx`set local synchronous_commit = on`
    for (const { definition } of indexes) await tx.unsafe(definition)
    for (const [trigger, table] of triggers) await tx.unsafe(`alter table ${table} enable trigger ${trigger}`)
  })
  await owner.unsafe(`vacuum (analyze) ${tables.join(', ')}`)
}
