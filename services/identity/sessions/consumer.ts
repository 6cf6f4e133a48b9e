import type { Bus } from '../../kit/bus/bus.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { endSessionsOf } from './commands.ts'
import { erasePassword, eraseTraces } from './queries.ts'

interface SessionsVoid {
  userId: string
  orgId: string
  before: string
}

/** A reset or a deactivation in organization ends the sessions that the user had by then, and no later one. */
export const endVoidSessions = ({ bus, now }: { bus: Bus; now: () => string }): Worker =>
  bus.consume({
    name: 'end-reset-sessions',
    subjects: ['organization.user.credentialsReset', 'organization.user.deactivated'],
    handle: (tx, event) => endSessionsOf(tx, event.data as SessionsVoid, now()),
  })

/** Of a person who was anonymised nothing stays here: no password, and no address or client of any session. */
export const erasePeople = ({ bus, now }: { bus: Bus; now: () => string }): Worker =>
  bus.consume({
    name: 'erase-people',
    subjects: ['organization.user.anonymised'],
    handle: async (tx, event) => {
      const { userId, orgId } = event.data as SessionsVoid
      await endSessionsOf(tx, { orgId, userId }, now())
      await erasePassword(tx, userId)
      await eraseTraces(tx, userId)
    },
  })
