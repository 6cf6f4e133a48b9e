import type { Pool } from '../db/client.ts'
import { findInstallation, OutdatedSchema } from './migrate.ts'
import { OF_INSTALLATION } from './roles.ts'

/** Throws if the `SHARED_DATABASE_URL` of a service with its own Postgres does not lead to that of the others. */
export async function requireShared(sql: Pool, shared: Pool): Promise<void> {
  const [copies] = await shared<[{ may: boolean }]>`
    select coalesce(has_function_privilege(to_regprocedure('organization.copy_audit_entry(jsonb)'), 'execute'), false)
      as may`
  if (!copies.may) {
    throw new OutdatedSchema(
      'SHARED_DATABASE_URL leads to a Postgres where webhooks may not copy audit entries. It must be that of the other services, and scripts/migrate must have run with WEBHOOKS_OWNER_DATABASE_URL.',
    )
  }
  const [role] = await sql<[{ comment: string | null }]>`
    select shobj_description(oid, 'pg_authid') as comment from pg_roles where rolname = current_user`
  // An administrator who makes the roles may leave out their comments.
  const [, own] = OF_INSTALLATION.exec(role.comment ?? '') ?? []
  const installation = await findInstallation(shared)
  if (own !== undefined && own !== installation?.id) {
    throw new OutdatedSchema(
      `SHARED_DATABASE_URL leads to the installation ${installation?.id}, and DATABASE_URL to the installation ${own}.`,
    )
  }
}
