import type { Bus } from '../../kit/bus/bus.ts'
import type { Worker } from '../../kit/service/worker.ts'
import { endSessionsOf } from './commands.ts'

/** A reset in organization ends the user's sessions here. */
export const endResetSessions = ({ bus, now }: { bus: Bus; now: () => string }): Worker =>
  bus.consume({
    name: 'end-reset-sessions',
    subjects: ['organization.user.credentialsReset'],
    handle: async (tx, event) => {
      const { userId, orgId } = event.data as { userId: string; orgId: string }
      await endSessionsOf(tx, { orgId, userId }, now())
    },
  })
