import type { Pool, Tx } from './client.ts'

/** SQLSTATE of a cancelled statement. */
const CANCELLED = '57014'

/** Runs a read with its own settings. Undefined if Postgres cancelled it at its `statement_timeout`. */
export async function withSettings<Answer>(
  settings: { statement_timeout: string; [name: string]: string },
  sql: Pool,
  read: (tx: Tx) => PromiseLike<Answer>,
): Promise<Answer | undefined> {
  let answer: Answer | undefined
  try {
    await sql.begin('read only', async (tx) => {
      await tx`
        select set_config(name, value, true)
        from jsonb_each_text(${JSON.stringify(settings)}::text::jsonb) s (name, value)`
      answer = await read(tx)
    })
  } catch (error) {
    if ((error as { code?: unknown }).code === CANCELLED) return undefined
    throw error
  }
  return answer
}
