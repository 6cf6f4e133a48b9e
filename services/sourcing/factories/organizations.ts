import type { Bus } from '../../kit/bus/bus.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { lockFactoriesOf, refreshOrganization } from './queries.ts'

/**
 * Factories contain the name of their organization, and whether it is a manufacturer. The number of factories of an
 * organization bounds the transaction.
 */
export const organizationWorker = ({ bus }: { bus: Bus }): Worker =>
  bus.consume({
    name: 'refresh-factory-organizations',
    subjects: ['organization.org.changed'],
    handle: async (tx, event) => {
      const { orgId } = event.data
      await lockFactoriesOf(tx, orgId)
      await refreshOrganization(tx, orgId)
    },
  })
