import type { ReadContext, RequestReads } from '../../kit/limits/request-reads.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { findPage, sourceOfConsumer } from '../factories/list.ts'
import { type MatchTerms, matchDocument, requirementsOf } from './terms.ts'

/**
 * Factories that qualify, or all of a name, with their matches. The list of factories finds them, so both contain the
 * same factories.
 */
export async function findMatches(
  context: ReadContext,
  read: RequestReads['read'],
  terms: MatchTerms,
  { q, ...window }: PageWindow & { q?: string | undefined },
): Promise<readonly DocumentRow[]> {
  const { part, distributorOrgId } = terms
  // As in the list of factories, a part without a material matches none.
  if (part === null || (q === undefined && part.materialCodes.length === 0)) return []
  const requirements = requirementsOf(terms, part)
  const source = sourceOfConsumer(context.caller.orgId, distributorOrgId)
  const { materialCodes, technologyIds } = part
  const filters = q === undefined ? { part: { materialCodes, technologyIds } } : { q }
  const rows = await findPage(context, read, source, filters, window)
  return rows.map(({ position, document }) => ({ position, document: matchDocument(document, requirements) }))
}
