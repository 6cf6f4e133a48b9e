import type { DocumentKind } from '../../../proto/http/sourcing/document-kinds.ts'
import type { FileFailure, FileState } from '../../../proto/http/sourcing/files.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'
import type { RecordKey, StoredFile } from '../files/queries.ts'
import type { SharedOffer } from '../offers/events.ts'
import { isConsumer, isIpOwner, isManufacturer, maySeePrices } from '../offers/visibility.ts'
import type { RenderingColumn } from '../renderings/documents.ts'
import { renderingColumn } from '../renderings/queries.ts'

export interface DocumentRow extends StoredFile {
  id: string
  kind: DocumentKind
  state: FileState
  reason: FileFailure | null
  org_id: string
  superseded_by: string | null
  shipment_ids: string[]
  created_at: string
  rendering: RenderingColumn | null
}

/** Newest first. The caller has checked that the record is readable. */
export const listDocuments = (sql: Sql, recordId: string, { after, limit, offset }: PageWindow) => sql<DocumentRow[]>`
  select id, name, document_kind as kind, state, reason, org_id, superseded_by, shipment_ids, created_at, object_key, size_bytes,
    content_type, sha256, ${renderingColumn(sql)} as rendering
  from sourcing.files
  where record_id = ${recordId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

/** Whether the organization sees the documents of an offer; no row where it may not read the offer. */
export const findOfferReader = (sql: Sql, orgId: string, id: string) => sql<{ sees_documents: boolean }[]>`
  select ${maySeePrices(sql, orgId)} as sees_documents from sourcing.offers
  where id = ${id} and (${isManufacturer(sql, orgId)} or (${isConsumer(sql, orgId)}) or (${isIpOwner(sql, orgId)}))`

/** The documents with these ids that the organization added to a record. */
export const findOwnDocuments = (sql: Sql, orgId: string, record: RecordKey, ids: readonly string[]) => sql<
  { id: string; shipment_ids: string[] }[]
>`
  select id, shipment_ids from sourcing.files
  where org_id = ${orgId} and record_id = ${record.id} and id = any(${[...ids]})`

/** The shipments with these ids of an order that the organization has. */
export const findShipments = (sql: Sql, orderId: string, ids: readonly string[]) => sql<{ id: string }[]>`
  select id from sourcing.shipments where order_id = ${orderId} and id = any(${[...ids]})`

/** Adds a document of the organization to shipments. No row if it belongs to all of them already. */
export const attachDocument = (
  tx: Tx,
  orgId: string,
  record: RecordKey,
  id: string,
  shipmentIds: readonly string[],
) => tx<{ id: string }[]>`
  update sourcing.files set shipment_ids = shipment_ids || array(
    select sent.id from unnest(${[...shipmentIds]}::text[]) with ordinality sent (id, place)
    where sent.id <> all(shipment_ids) order by place)
  where org_id = ${orgId} and record_id = ${record.id} and id = ${id}
    and not shipment_ids @> ${[...shipmentIds]}::text[]
  returning id`

export const deleteDocuments = (tx: Tx, orgId: string, record: RecordKey, ids: readonly string[]) => tx`
  delete from sourcing.files where org_id = ${orgId} and record_id = ${record.id} and id = any(${[...ids]})`

/** No row if the document is superseded already. */
export const supersede = (tx: Tx, orgId: string, record: RecordKey, id: string, newer: string) => tx<{ id: string }[]>`
  update sourcing.files set superseded_by = ${newer}
  where org_id = ${orgId} and record_id = ${record.id} and id = ${id} and superseded_by is null
  returning id`

/** The documents that the organization has in a record, also superseded ones. */
export const countDocuments = (tx: Tx, orgId: string, record: RecordKey) => tx<[{ documents: number }]>`
  select count(*)::integer as documents from sourcing.files where record_id = ${record.id} and org_id = ${orgId}`

export const touchRfq = (tx: Tx, id: string, now: string) => tx`
  update sourcing.rfqs set updated_at = ${now} where id = ${id}`

export const lockAnyRfq = (tx: Tx, id: string) => tx<{ document: string; is_published: boolean }[]>`
  select document, published_at is not null as is_published from sourcing.rfqs where id = ${id} for update`

interface LockedOffer extends SharedOffer {
  is_submitted: boolean
  concealed: boolean
}

export const lockAnyOffer = (tx: Tx, id: string) => tx<LockedOffer[]>`
  select id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, hidden_from_ip_owner, concealed,
    submitted_at is not null as is_submitted
  from sourcing.offers where id = ${id} for update`

export const lockAnyCase = (tx: Tx, id: string) => tx<{ document: string }[]>`
  select document from sourcing.cases where id = ${id} for update`

/** The current documents of an offer, oldest first, each locked with the one whose object it shares. */
export const lockDocumentsOf = (tx: Tx, offerId: string) => tx<{ id: string }[]>`
  select document.id
  from sourcing.files document join sourcing.files original on original.id = coalesce(document.copy_of, document.id)
  where document.record_id = ${offerId} and document.superseded_by is null and document.state <> 'FAILED'
  order by document.id
  for share`

/** Copies documents to an offer with these new ids. The copies share the objects. */
export const insertCopies = (
  tx: Tx,
  offerId: string,
  copies: readonly { from: string; id: string }[],
  now: string,
) => tx`
  insert into sourcing.files (
    id, org_id, name, record_kind, record_id, document_kind, copy_of, state, reason, public, object_key, size_bytes,
    content_type, sha256, counted_bytes, created_at)
  select copy.id, org_id, name, record_kind, ${offerId}, document_kind, coalesce(copy_of, document.id), state, reason,
    public, object_key, size_bytes, content_type, sha256, 0, ${now}
  from unnest(${copies.map(({ from }) => from)}::text[], ${copies.map(({ id }) => id)}::text[]) copy (of_id, id)
  join sourcing.files document on document.id = copy.of_id`
