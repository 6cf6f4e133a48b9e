import type { Pool, Tx } from './client.ts'

/** Postgres's code of a statement that was cancelled. */
const CANCELLED = '57014'

/**
 * What a read answers under settings of its own; undefined when it takes longer than its `statement_timeout`, whereupon
 * Postgres ends it.
 */
export async function within<Answer>(
  settings: { statement_timeout: string; [name: string]: string },
  sql: Pool,
  read: (tx: Tx) => PromiseLike<Answer>,
): Promise<Answer | undefined> {
  let answer: Answer | undefined
  try {
    await sql.begin('read only', async (tx) => {
      await tx`select set_config(name, value, true) from jsonb_each_text(${JSON.stringify(settings)}::text::jsonb) s (name, value)`
      answer = await read(tx)
    })
  } catch (error) {
    if ((error as { code?: unknown }).code === CANCELLED) return undefined
    throw error
  }
  return answer
}
