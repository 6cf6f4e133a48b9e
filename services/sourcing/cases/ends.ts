import type { Case } from '../../../proto/http/sourcing/cases.ts'
import type { Pool } from '../../kit/db/client.ts'
import { notifyOfCases } from './events.ts'
import { closeEnded } from './queries.ts'

const BATCH_SIZE = 100

/** Closes the cases of awarded manufacturers 90 days after the end of their orders. */
export async function closeEndedCases(sql: Pool, now: string, signal: AbortSignal): Promise<void> {
  let closed = BATCH_SIZE
  while (closed === BATCH_SIZE && !signal.aborted) {
    closed = await sql.begin(async (tx) => {
      const cases: Case[] = (await closeEnded(tx, now, BATCH_SIZE)).map(({ document }) => JSON.parse(document))
      await notifyOfCases(
        tx,
        cases.map((ended) => ({ type: 'cases.closed', data: { case: ended } })),
      )
      return cases.length
    })
  }
}
