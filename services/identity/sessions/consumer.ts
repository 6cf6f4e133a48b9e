import type { Kit } from '../../kit/service/service.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { endSessionsOf } from './commands.ts'
import { eraseClientData, erasePasskeys, erasePassword } from './queries.ts'

/** Ends the sessions that a user had at the time of a reset or deactivation, and no later ones. */
export const endResetSessions = ({ bus, now }: Pick<Kit, 'bus' | 'now'>): Worker =>
  bus.consume({
    name: 'end-reset-sessions',
    subjects: [
      'organization.user.credentialsReset',
      'organization.user.passkeysReset',
      'organization.user.deactivated',
    ],
    handle: (tx, event) => {
      const { userId, orgId, sessionVersion } = event.data
      return endSessionsOf(tx, { userId, orgId, beforeVersion: sessionVersion }, now())
    },
  })

/** Erases password, passkeys, addresses and clients of an anonymised user. */
export const erasePeople = ({ bus, now }: Pick<Kit, 'bus' | 'now'>): Worker =>
  bus.consume({
    name: 'erase-people',
    subjects: ['organization.user.anonymised'],
    handle: async (tx, event) => {
      const { userId, orgId } = event.data
      await endSessionsOf(tx, { orgId, userId }, now())
      await erasePassword(tx, userId)
      await erasePasskeys(tx, userId)
      await eraseClientData(tx, userId)
    },
  })
