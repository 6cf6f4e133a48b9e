import type { Bus } from '../../../kit/bus/bus.ts'
import type { Worker } from '../../../kit/worker/worker.ts'
import { eraseUser } from './queries.ts'

/** Messages of one statement. */
const BATCH_SIZE = 1000

/** Erases an anonymised user in the messages that it wrote. The messages remain. */
export const messageAnonymiser = ({ bus }: { bus: Bus }): Worker =>
  bus.consume({
    name: 'erase-messages',
    subjects: ['organization.user.anonymised'],
    handle: async (tx, event) => {
      const { userId, orgId } = event.data
      while ((await eraseUser(tx, orgId, userId, BATCH_SIZE)).count === BATCH_SIZE) {}
    },
  })
