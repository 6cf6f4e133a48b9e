import { grantorHasAuthority } from '../../kit/auth/grantors.ts'
import type { Tx } from '../../kit/db/client.ts'
import type { Kit } from '../../kit/service/service.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { endSessions } from '../sessions/commands.ts'
import { listActing, lockLiveGrants } from './queries.ts'

/**
 * Ends impersonation sessions when the grantor of the grant is deactivated, reset or lacks a permission of the user.
 * The grants of an organization are read once for all events of a batch, because redemptions wait for their locks.
 */
export const endSessionsWithoutAuthority = ({ bus, now }: Pick<Kit, 'bus' | 'now'>): Worker =>
  bus.consume({
    name: 'end-sessions-without-authority',
    subjects: ['organization.user.changed', 'organization.role.changed', 'organization.org.changed'],
    async handleAll(tx, events) {
      const orgIds = new Set(events.map(({ data }) => data.orgId))
      for (const orgId of [...orgIds].sort()) await endWithoutAuthority(tx, orgId, now())
    },
  })

async function endWithoutAuthority(tx: Tx, orgId: string, now: string): Promise<void> {
  // A concurrent redemption locks its grant, so its session exists once this lock is acquired.
  const grants = await lockLiveGrants(tx, orgId, now)
  if (grants.length === 0) return
  const acting = await listActing(
    tx,
    orgId,
    grants.map(({ id }) => id),
  )
  const withoutAuthority = acting.filter((user) => !grantorHasAuthority(user))
  await endSessions(
    tx,
    orgId,
    withoutAuthority.map(({ session_id }) => session_id),
    now,
  )
}
