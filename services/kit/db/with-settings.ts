import type { Sql, Tx } from './client.ts'

/** SQLSTATE of a cancelled statement. */
const CANCELLED = '57014'

/** Thrown after the read, because a rollback also undoes its settings. */
class Finished extends Error {}

/**
 * Runs a read with its own settings, in a transaction or a part of one. Undefined if Postgres cancelled it at its
 * `statement_timeout`.
 */
export async function withSettings<Answer>(
  settings: { statement_timeout: string; [name: string]: string },
  sql: Sql,
  read: (tx: Tx) => PromiseLike<Answer>,
): Promise<Answer | undefined> {
  let answer: Answer | undefined
  const work = async (tx: Tx) => {
    await tx`
      select set_config(name, value, true)
      from jsonb_each_text(${JSON.stringify(settings)}::text::jsonb) s (name, value)`
    answer = await read(tx)
    throw new Finished()
  }
  try {
    await ('savepoint' in sql ? sql.savepoint(work) : sql.begin('read only', work))
  } catch (error) {
    if (error instanceof Finished) return answer
    if ((error as { code?: unknown }).code === CANCELLED) return undefined
    throw error
  }
  return answer
}
