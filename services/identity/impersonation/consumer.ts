import type { Bus } from '../../kit/bus/bus.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { endSessions } from '../sessions/commands.ts'
import { listActing, lockLiveGrants } from './queries.ts'
import { grantorHasAuthority } from './rules.ts'

/** Ends impersonation sessions when the grantor of the grant is deactivated, reset or lacks a permission of the user. */
export const endSessionsWithoutAuthority = ({ bus, now }: { bus: Bus; now: () => string }): Worker =>
  bus.consume({
    name: 'end-withoutAuthority-sessions',
    subjects: ['organization.user.changed', 'organization.role.changed', 'organization.org.changed'],
    handle: async (tx, event) => {
      const { orgId } = event.data as { orgId: string }
      // A concurrent redemption locks its grant, so its session exists once this lock is acquired.
      const grants = await lockLiveGrants(tx, orgId, now())
      if (grants.length === 0) return
      const acting = await listActing(
        tx,
        orgId,
        grants.map(({ id }) => id),
      )
      const withoutAuthority = acting.filter(
        (user) => !grantorHasAuthority({ active: user.grantor_active, permissions: user.grantor_permissions }, user),
      )
      await endSessions(
        tx,
        orgId,
        withoutAuthority.map(({ session_id }) => session_id),
        now(),
      )
    },
  })
