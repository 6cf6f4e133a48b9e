import type { Document, listRfqFiles } from '../../../proto/http/sourcing/documents.ts'
import type { CallerContext } from '../../kit/http/context.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { contentOf, downloadOf } from '../files/download.ts'
import type { Storage } from '../files/storage/storage.ts'
import { renderedFieldsOf } from '../renderings/documents.ts'
import type { Pictures } from '../renderings/pictures.ts'
import { type DocumentRow, listDocuments } from './queries.ts'

interface ListingDeps {
  pagination: Pagination
  storage: Storage
  pictures: Pictures
}

type Context = CallerContext<typeof listRfqFiles>

/** A page of the documents of a record that the caller reads, newest first. */
export async function documentsOf(
  { pagination, storage, pictures }: ListingDeps,
  context: Context,
): Promise<{ items: Document[]; hasMore: boolean }> {
  const { id } = context.params
  const { items, hasMore } = await pagination.page(
    context,
    `files ${id}`,
    (window, read) => read((sql) => listDocuments(sql, id, window)),
    (row) => row.id,
  )
  const { now } = context
  return { items: await Promise.all(items.map((row) => documentOf(row, { storage, pictures, now }))), hasMore }
}

/** The public representation of a document. Only a READY one has size, type, hash and URL. */
async function documentOf(
  row: DocumentRow,
  { storage, pictures, now }: Omit<ListingDeps, 'pagination'> & { now: string },
): Promise<Document> {
  const { id, name, kind, state, reason, org_id: orgId, superseded_by: supersededBy, created_at: createdTime } = row
  const { shipment_ids: shipmentIds } = row
  return {
    id,
    name,
    kind,
    state,
    ...(reason === null ? {} : { reason }),
    orgId,
    ...(supersededBy === null ? {} : { supersededBy }),
    ...(shipmentIds.length === 0 ? {} : { shipmentIds }),
    createdTime,
    ...contentOf(row),
    ...(await downloadOf(row, storage, now)),
    ...renderedFieldsOf(row.rendering, { pictures, now }),
  }
}
