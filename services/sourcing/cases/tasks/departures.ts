import type { Bus } from '../../../kit/bus/bus.ts'
import type { Worker } from '../../../kit/worker/worker.ts'
import { findUser, lockAssignee, unassignTasks } from './queries.ts'

/** Tasks of one statement. */
const BATCH_SIZE = 1000

/** Removes a deactivated or anonymised user from its OPEN tasks, which then wait for every user of the organization. */
export const taskUnassigner = ({ bus }: { bus: Bus }): Worker =>
  bus.consume({
    name: 'unassign-tasks',
    subjects: ['organization.user.deactivated', 'organization.user.anonymised'],
    handle: async (tx, event) => {
      const { userId, orgId } = event.data
      await lockAssignee(tx, orgId, userId)
      // The user was activated again since.
      if ((await findUser(tx, orgId, userId)).length > 0) return
      while ((await unassignTasks(tx, orgId, userId, BATCH_SIZE)).count === BATCH_SIZE) {}
    },
  })
