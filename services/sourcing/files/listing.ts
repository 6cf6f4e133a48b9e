import type { File } from '../../../proto/http/sourcing/files.ts'
import type { Sql } from '../../kit/db/client.ts'
import { found } from '../../kit/errors/refusal.ts'
import { findStanding, listFiles } from './queries.ts'
import { visibleGroups } from './rules.ts'
import { type Addresses, fileOf } from './shape.ts'

export interface ListingDeps extends Addresses {
  sql: Sql
  clock: () => number
}

/** The files of a part that the organization may see, newest first. */
export async function filesOf(deps: ListingDeps, orgId: string, partId: string): Promise<{ items: File[] }> {
  const { sql, clock } = deps
  const { owned } = found(await findStanding(sql, orgId, partId))
  const rows = await listFiles(sql, partId, visibleGroups(owned ? 'OWNER' : 'ANYONE'))
  const nowMs = clock()
  return { items: await Promise.all(rows.map((row) => fileOf(row, deps, nowMs))) }
}
