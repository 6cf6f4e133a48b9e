import type { Case } from '../../../proto/http/sourcing/cases.ts'
import { type DrainDeps, drainIn } from '../../kit/worker/batches.ts'
import { notifyParties } from '../notifications/emit.ts'
import { closeEnded } from './queries.ts'

/** Cases per transaction. */
const BATCH_SIZE = 100

/** Closes the cases of awarded manufacturers 90 days after the end of their orders. */
export const closeEndedCases = (deps: Omit<DrainDeps, 'now'>, now: string, signal: AbortSignal) =>
  drainIn({ ...deps, now: () => now, signal, limit: BATCH_SIZE }, closeEnded, async (tx, rows) => {
    const cases: Case[] = rows.map(({ document }) => JSON.parse(document))
    await notifyParties(
      tx,
      cases.map((ended) => ({ type: 'cases.closed', data: { case: ended } })),
    )
  })
