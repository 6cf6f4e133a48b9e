import { MAX_RELEASES } from '../../../proto/http/sourcing/factory-administration.ts'
import type { ReadContext, RequestReads } from '../../kit/limits/request-reads.ts'
import { nameKeyAt } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { findPage } from './list.ts'
import type { Source } from './list-filters.ts'
import { findEngaged, findReleases } from './queries.ts'

/** A page of the factories that a distributor may release, each with the organizations to which it has. */
export async function releasesPage(
  context: ReadContext,
  read: RequestReads['read'],
  { q, orgId }: { q?: string; orgId?: string },
  window: PageWindow,
): Promise<readonly DocumentRow[]> {
  const { caller } = context
  const distributorOrgId = caller.orgId
  const isEngaged =
    orgId === undefined || (await context.read((sql) => findEngaged(sql, distributorOrgId, orgId))).length > 0
  if (!isEngaged) return []
  const source: Source = orgId === undefined ? { kind: 'public' } : { kind: 'released', orgId, distributorOrgId }
  const rows = await findPage(context, read, source, { q }, window)
  const ids = rows.map(({ position }) => nameKeyAt(position).id)
  const releases = await context.read((sql) => findReleases(sql, distributorOrgId, ids, MAX_RELEASES))
  const orgIds = new Map(releases.map(({ factory_id: id, org_ids: list }) => [id, list]))
  return rows.map(({ position, document }, index) => ({
    position,
    document: `{"factory":${document},"orgIds":${orgIds.get(ids[index] ?? '') ?? '[]'}}`,
  }))
}
