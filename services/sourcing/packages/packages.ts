import type { RfqPackage, RfqPackageLine } from '../../../proto/http/sourcing/rfq-packages.ts'
import type { Sql } from '../../kit/db/client.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found } from '../../kit/errors/refusal.ts'
import * as queries from './queries.ts'

/** A package as its consumer reads it. */
export async function ownPackage(sql: Sql, orgId: string, id: string): Promise<RfqPackage> {
  const row = found(await queries.findOwnPackage(sql, orgId, id))
  return packageOf(row, await queries.listOwnLines(sql, orgId, id))
}

/** A package as an invited manufacturer reads it: only with its own lines. */
export async function invitedPackage(sql: Sql, orgId: string, id: string): Promise<RfqPackage> {
  const lines = await queries.listInvitedLines(sql, orgId, id)
  return packageOf(found(await queries.findInvitedPackage(sql, orgId, id)), lines)
}

/** A package as the organization reads it: as its consumer, or as an invited manufacturer. */
export async function readPackage(sql: Sql, orgId: string, id: string): Promise<RfqPackage> {
  const [own] = await queries.findOwnPackage(sql, orgId, id)
  return own ? packageOf(own, await queries.listOwnLines(sql, orgId, id)) : invitedPackage(sql, orgId, id)
}

const packageOf = (
  { createdTime, updatedTime, ...head }: queries.PackageRow,
  lines: readonly RfqPackageLine[],
): RfqPackage => ({ ...head, lines: lines.map(withoutNulls), createdTime, updatedTime })
