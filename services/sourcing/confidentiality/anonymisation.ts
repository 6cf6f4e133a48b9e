import type { Bus } from '../../kit/bus/bus.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { eraseUser } from './queries.ts'

/** Erases user and address in the acceptances of an anonymised user. The acceptances remain. */
export const acceptanceAnonymiser = ({ bus }: { bus: Bus }): Worker =>
  bus.consume({
    name: 'erase-acceptances',
    subjects: ['organization.user.anonymised'],
    handle: async (tx, event) => {
      const { userId, orgId } = event.data
      await eraseUser(tx, orgId, userId)
    },
  })
