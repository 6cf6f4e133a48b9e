import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROCEDURES } from '../../../proto/procedures.ts'
import { connect, type Pool } from '../../../services/kit/db/client.ts'
import { loadAuditLog } from '../../../services/testing/load/audit-log.ts'
import type { Database } from './database.ts'

/** Two years, each month a partition. */
export const AUDIT_MONTHS = 24
export const AUDIT_ACTORS = 2000

/** The audit log of one organization, loaded once into the database that is kept. */
export async function ensureAuditLog(
  { ownerUrl, folder }: Database,
  { orgId, entries, progress }: { orgId: string; entries: number; progress: (line: string) => void },
): Promise<void> {
  const loaded = Bun.file(join(folder, `audit-log-${entries}`))
  if (await loaded.exists()) return
  const owner = connect(ownerUrl, { max: 1, applicationName: 'bench-load' })
  try {
    progress(`Loading ${entries.toLocaleString('en-US')} audit entries`)
    await removeHalf(owner)
    const load = { orgId, count: entries, months: AUDIT_MONTHS, actors: AUDIT_ACTORS, procedures: PROCEDURES }
    await loadAuditLog(owner, load, progress)
    await owner`checkpoint`
    await writeFile(loaded.name ?? '', '')
  } finally {
    await owner.end({ timeout: 5 })
  }
}

/** What a run that was interrupted has loaded. */
async function removeHalf(owner: Pool): Promise<void> {
  const months = await owner<{ name: string }[]>`
    select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = 'organization.audit_log'::regclass and child.relname ~ '^audit_log_\\d{4}_\\d{2}$'
      and child.relname < ${`audit_log_${new Date().toISOString().slice(0, 7).replace('-', '_')}`}`
  for (const { name } of months) await owner`drop table organization.${owner(name)}`
  await owner`delete from organization.audit_log_kinds where month < date_trunc('month', now(), 'UTC')`
  await owner`delete from identity.impersonation_grants where reason like 'Ticket %' and id like 'grant_0000000000%'`
  await owner`delete from organization.users where email like 'actor.%@audit.example.com'`
}
