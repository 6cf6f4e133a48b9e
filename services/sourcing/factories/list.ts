import { found, refuse } from '../../kit/errors/refusal.ts'
import type { CallerContext } from '../../kit/http/context.ts'
import type { ReadContext, RequestReads } from '../../kit/limits/request-reads.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { ALL, isUnfiltered, pageOrNothing, type Search, search } from '../../kit/pagination/search.ts'
import { type FactoryQuery, type Filters, filtersOf, indexFor, type Source } from './list-filters.ts'
import { findSourcingTerms, scanFactories, searchFactories } from './list-queries.ts'
import { VIEW_PERMISSIONS } from './rules.ts'

/** Number of factories that are scanned in list order before an index is used instead. A later page needs more. */
const SCANNED = { atLeast: 1000, perRow: 4, atMost: 20_000 }

/** The source and filters of a list. Throws 403 without the permission of the view, 404 for an unreadable part. */
export async function listOf(
  { caller: { orgId, permissions }, read }: Pick<CallerContext<unknown>, 'caller' | 'read'>,
  query: FactoryQuery,
): Promise<{ source: Source; filters: Filters | undefined }> {
  const { view, partId } = query
  const permission = VIEW_PERMISSIONS[view]
  if (!permissions.has(permission)) {
    throw refuse('forbidden', { detail: `The view ${view} requires the permission ${permission}.` })
  }
  if (view === 'MANUFACTURER' && partId === undefined) {
    return { source: { kind: 'own', orgId }, filters: filtersOf(query, undefined) }
  }
  const { distributorOrgId, part } = found(await read((sql) => findSourcingTerms(sql, orgId, partId)))
  const needs = partId === undefined ? undefined : found(part === null ? [] : [part])
  return { source: sourceOf(view, orgId, distributorOrgId), filters: filtersOf(query, needs) }
}

const sourceOf = (view: FactoryQuery['view'], orgId: string, distributorOrgId: string | null): Source =>
  view === 'MANUFACTURER' ? { kind: 'own', orgId } : sourceOfConsumer(orgId, distributorOrgId)

/** The factories from which a consumer may source. */
export const sourceOfConsumer = (orgId: string, distributorOrgId: string | null): Source =>
  distributorOrgId === null ? { kind: 'public' } : { kind: 'released', orgId, distributorOrgId }

/** A page of the list. */
export async function findPage(
  context: ReadContext,
  read: RequestReads['read'],
  source: Source,
  filters: Filters,
  window: PageWindow,
): Promise<readonly DocumentRow[]> {
  if (isUnfiltered(filters)) return read((sql) => scanFactories(sql, source, filters, window))
  return search(context, searchOf(source, filters, window), window)
}

/**
 * A scan finds a common value, and an index of one filter a rare one. An organization has at most a thousand factories,
 * so its own are always scanned.
 */
function searchOf(source: Source, filters: Filters, { offset, limit }: PageWindow): Search<DocumentRow> {
  const scan: Search<DocumentRow>['scan'] = async (sql, window, count) =>
    pageOrNothing(await scanFactories(sql, source, filters, window, count), window, count)
  const index = source.kind === 'own' ? undefined : indexFor(filters)
  if (index === undefined) return { scans: [ALL], scan }
  const wanted = offset + limit
  const isScanned = index !== 'organization' && wanted <= SCANNED.atMost
  return {
    scans: isScanned ? [Math.min(SCANNED.atMost, Math.max(SCANNED.atLeast, SCANNED.perRow * wanted))] : [],
    scan,
    index: async (sql, window) =>
      pageOrNothing(await searchFactories(sql, source, filters, index, window), window, ALL),
  }
}
