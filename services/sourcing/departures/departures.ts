import type { Bus } from '../../kit/bus/bus.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { startJob } from '../../kit/worker/job-queries.ts'
import type { JobKind } from '../../kit/worker/jobs.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { eraseAuthor } from '../cases/messages/queries.ts'
import { findUser, lockAssignee, unassignTasks } from '../cases/tasks/queries.ts'
import { eraseAcceptor } from '../confidentiality/queries.ts'

const NAME = 'user-departures'
/** Rows per transaction. */
const BATCH_SIZE = 1000
const RETRY_MS = 1000

/** The statements that change the next rows of a user. */
const STEPS = { tasks: unassign, messages: eraseAuthor, acceptances: eraseAcceptor }
type Rows = keyof typeof STEPS

const ROWS = {
  'organization.user.deactivated': ['tasks'],
  'organization.user.anonymised': ['tasks', 'messages', 'acceptances'],
} as const satisfies Record<string, readonly Rows[]>

/** The consumers whose work this one does. */
export const FORMER_CONSUMERS = ['unassign-tasks', 'erase-messages', 'erase-acceptances'] as const

/**
 * Removes a deactivated or anonymised user from its OPEN tasks, which then wait for every user of the organization, and
 * erases an anonymised user in its messages and acceptances, which remain. The handler of an event only starts jobs,
 * which work in short transactions.
 */
export const departureConsumer = ({ bus, now }: { bus: Bus; now: () => string }): Worker =>
  bus.consume({
    name: NAME,
    subjects: ['organization.user.deactivated', 'organization.user.anonymised'],
    handle: async (tx, { type, data: { userId, orgId } }) => {
      for (const rows of ROWS[type]) {
        const id = `${rows} ${userId}`
        await startJob(tx, { kind: NAME, id, tenantId: orgId, data: { rows, userId } }, now())
      }
    },
  })

/** Changes the next rows of a user. */
export const departureJob = (sql: Pool): JobKind<{ rows: Rows; userId: string }> => ({
  kind: NAME,
  slots: 2,
  pauseAfter: () => RETRY_MS,
  run: (job) =>
    sql.begin(async (tx) => {
      if (!(await job.hold(tx))) return
      const { rows, userId } = job.data
      const { count } = await STEPS[rows](tx, job.tenantId, userId, BATCH_SIZE)
      if (count < BATCH_SIZE) await job.end(tx)
      else await job.continue(tx, undefined)
    }),
})

/** Changes nothing for a user who was activated again since. */
async function unassign(tx: Tx, orgId: string, userId: string, limit: number): Promise<{ count: number }> {
  await lockAssignee(tx, orgId, userId)
  const isActive = (await findUser(tx, orgId, userId)).length > 0
  return isActive ? { count: 0 } : unassignTasks(tx, orgId, userId, limit)
}
