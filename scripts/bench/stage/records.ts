import { PROCEDURES } from '../../../proto/procedures.ts'
import { loadAuditLog } from '../../../services/testing/load/audit-log.ts'
import { asOwner } from '../../../services/testing/load/owner.ts'
import { loadColleagues, loadUsers } from '../../../services/testing/load/people.ts'
import { type Database, loadOnce } from './database.ts'

/** Each month is a partition. */
export const AUDIT_MONTHS = 24
export const AUDIT_ACTORS = 2000
const USER_ORGANIZATIONS = 10_000
/** The largest organization has a tenth of all users, each of the others about ninety. */
export const LARGEST_SHARE = 10
const COLLEAGUES = 100

interface Load {
  /** The organization of the benchmark's own account. */
  orgId: string
  count: number
  progress: (line: string) => void
}

/** Loads the audit log of one organization, after the rest of an interrupted load is removed. */
export const ensureAuditLog = (database: Database, { orgId, count, progress }: Load) =>
  loadOnce(database, `audit-log-${count}`, () =>
    asOwner(database.ownerUrl, async (owner) => {
      progress(`Loading ${count.toLocaleString('en-US')} audit entries`)
      const months = await owner<{ name: string }[]>`
        select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
        where inhparent = 'organization.audit_log'::regclass and child.relname ~ '^audit_log_\\d{4}_\\d{2}$'
          and child.relname < ${`audit_log_${new Date().toISOString().slice(0, 7).replace('-', '_')}`}`
      for (const { name } of months) await owner`drop table organization.${owner(name)}`
      await owner`delete from organization.audit_log_kinds where month < date_trunc('month', now(), 'UTC')`
      await owner`delete from identity.impersonation_grants where reason like 'Ticket %' and id like 'grant_0000000000%'`
      await owner`delete from organization.users where email like 'actor.%@audit.example.com'`
      const load = { orgId, count, months: AUDIT_MONTHS, actors: AUDIT_ACTORS, procedures: PROCEDURES }
      await loadAuditLog(owner, load, progress)
      await owner`checkpoint`
    }),
  )

/** Loads users of many organizations and colleagues of the account, after the rest of an interrupted load is removed. */
export const ensureUsers = (database: Database, { orgId, count, progress }: Load) =>
  loadOnce(database, `users-${count}`, () =>
    asOwner(database.ownerUrl, async (owner) => {
      progress(`Loading ${count.toLocaleString('en-US')} users`)
      await owner`delete from organization.user_roles where org_id like 'org_L%'`
      await owner`
        delete from organization.activations
        where user_id in (select id from organization.users where org_id like 'org_L%')`
      await owner`delete from organization.users where org_id like 'org_L%'`
      await owner`delete from organization.roles where org_id like 'org_L%'`
      await owner`delete from organization.organizations where id like 'org_L%'`
      await loadColleagues(owner, { orgId, count: COLLEAGUES })
      await loadUsers(owner, { count, organizations: USER_ORGANIZATIONS, largest: count / LARGEST_SHARE })
      await owner`checkpoint`
    }),
  )
