import type { DocumentKind } from '../../../proto/http/sourcing/document-kinds.ts'
import type { FileFailure, FileGroup, FileState } from '../../../proto/http/sourcing/files.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { filesForQuoting } from '../confidentiality/visibility.ts'
import { inView, showsIpFiles } from '../orders/visibility.ts'
import { isOwn, isReadable, isRevisionReader, pinnedFileIds } from '../parts/visibility.ts'
import type { RenderingColumn } from '../renderings/documents.ts'
import { renderingColumn } from '../renderings/queries.ts'
import type { ReadableFiles } from './rules.ts'
import type { ObjectInfo } from './storage/storage.ts'

/** Which files of a part an organization may read. No row if it cannot read the part. */
export const findReadableFiles = (sql: Sql, orgId: string, partId: string, now: string) => sql<ReadableFiles[]>`
  select ${isOwn(sql, orgId)} as "isOwner", ${pinnedFileIds(sql, orgId)} as "fileIds",
    array(
      select unnest(pinned.file_ids) from sourcing.part_revisions pinned
      where pinned.part_id = parts.id and pinned.revision in (
        select part_revision from sourcing.orders
        where ${inView(sql, orgId, 'MANUFACTURER')} and part_id = parts.id and ${showsIpFiles(sql)})
      union all select file_id from (${filesForQuoting(sql, orgId, partId, now)}) quoted) as "ipFileIds"
  from sourcing.parts where id = ${partId} and ${isReadable(sql, orgId)}`

/** Which files of a pinned revision an organization may read. No row if it cannot read the revision. */
export const findRevisionFiles = (sql: Sql, orgId: string, partId: string, revision: number, now: string) => sql<
  ReadableFiles[]
>`
  select ${isOwn(sql, orgId)} as "isOwner", file_ids as "fileIds",
    case when exists (
      select from sourcing.orders
      where ${inView(sql, orgId, 'MANUFACTURER')} and orders.part_id = pinned.part_id and part_revision = pinned.revision
        and ${showsIpFiles(sql)}) then file_ids
    else array(
      select file_id from (${filesForQuoting(sql, orgId, partId, now)}) quoted
      where part_revision = pinned.revision) end as "ipFileIds"
  from sourcing.part_revisions pinned
  where pinned.part_id = ${partId} and pinned.revision = ${revision}
    and (${isOwn(sql, orgId)} or ${isRevisionReader(sql, orgId)})`

/** The object of a file; null unless the file is READY. */
export interface StoredFile {
  name: string
  object_key: string | null
  size_bytes: string | null
  content_type: string | null
  sha256: string | null
}

export interface FileRow extends StoredFile {
  id: string
  file_group: FileGroup
  state: FileState
  public: boolean
  created_at: string
  rendering: RenderingColumn | null
}

/** The files that an organization may read, newest first. */
export const listFiles = (
  sql: Sql,
  partId: string,
  groups: readonly FileGroup[],
  { fileIds, ipFileIds }: Pick<ReadableFiles, 'fileIds' | 'ipFileIds'>,
) => sql<FileRow[]>`
  select id, name, file_group, state, public and removed_at is null as public, object_key, size_bytes, content_type, sha256, created_at,
    ${renderingColumn(sql)} as rendering
  from sourcing.files
  where part_id = ${partId} and (
    file_group = any(${[...groups]})
      and case when ${fileIds === null} then removed_at is null else id = any(${[...(fileIds ?? [])]}) end
    or file_group = 'ip' and id = any(${[...ipFileIds]}))
  order by id desc`

interface PublicFileRow {
  name: string
  object_key: string
  content_type: string
}

export const findPublicFile = (sql: Sql, id: string) => sql<PublicFileRow[]>`
  select name, object_key, content_type from sourcing.files where id = ${id} and public and state = 'READY' and removed_at is null`

export interface UploadRow {
  id: string
  name: string
  public: boolean
}

export const findUploads = (sql: Sql, orgId: string, ids: readonly string[]) => sql<UploadRow[]>`
  select id, name, public from sourcing.uploads where org_id = ${orgId} and id = any(${[...ids]})`

export const findFileIds = (sql: Sql, orgId: string, partId: string, ids: readonly string[]) => sql<{ id: string }[]>`
  select id from sourcing.files
  where org_id = ${orgId} and part_id = ${partId} and id = any(${[...ids]}) and removed_at is null`

/** The first of concurrent requests gets an upload. Locks in the order of ids, which prevents deadlocks. */
export const attachUploads = (tx: Tx, orgId: string, ids: readonly string[], now: string) => tx<{ id: string }[]>`
  update sourcing.uploads set state = 'ATTACHED'
  where id = any(array(
    select id from sourcing.uploads
    where org_id = ${orgId} and id = any(${[...ids]}) and state = 'OPEN' and expires_at > ${now}
    order by id for update))
  returning id`

/** A kind of records that have documents. */
export type RecordKind = 'rfq' | 'offer' | 'order' | 'case'

/** The record of a document. */
export interface RecordKey {
  kind: RecordKind
  id: string
}

/** Where a file belongs: to a part, or as a document to another record. */
export type FilePlace =
  | { partId: string; group: FileGroup }
  | { record: RecordKey; documentKind: DocumentKind; shipmentIds: readonly string[] }

export interface NewFile {
  id: string
  place: FilePlace
  orgId: string
  name: string
  public: boolean
  state: FileState
  reason: FileFailure | null
  objectKey: string | null
  info: ObjectInfo | null
  countedBytes: number
}

const NO_PLACE = { partId: null, group: null, record: { kind: null, id: null }, documentKind: null, shipmentIds: [] }

export function insertFile(tx: Tx, file: NewFile, now: string) {
  const { partId, group, record, documentKind, shipmentIds } = { ...NO_PLACE, ...file.place }
  return tx`
    insert into sourcing.files (
      id, part_id, org_id, name, file_group, record_kind, record_id, document_kind, state, reason, public, object_key,
      size_bytes, content_type, sha256, counted_bytes, shipment_ids, created_at)
    values (
      ${file.id}, ${partId}, ${file.orgId}, ${file.name}, ${group}, ${record.kind}, ${record.id}, ${documentKind},
      ${file.state}, ${file.reason}, ${file.public}, ${file.objectKey}, ${file.info?.sizeBytes ?? null},
      ${file.info?.contentType ?? null}, ${file.info?.sha256 ?? null}, ${file.countedBytes}, ${[...shipmentIds]}, ${now})`
}

/** Removes files from a locked part. Those that a pinned revision lists are kept for it. */
export const removeFiles = (
  tx: Tx,
  { orgId, partId, ids }: { orgId: string; partId: string; ids: readonly string[] },
  now: string,
) => tx<{ id: string }[]>`
  with wanted as materialized (
    select id, sourcing.is_pinned(part_id, id) as is_pinned from sourcing.files
    where org_id = ${orgId} and part_id = ${partId} and id = any(${[...ids]}) and removed_at is null
  ), kept as (
    update sourcing.files file set removed_at = ${now} from wanted where file.id = wanted.id and is_pinned
    returning file.id
  ), deleted as (
    delete from sourcing.files file using wanted where file.id = wanted.id and not is_pinned
    returning file.id
  )
  select id from kept union all select id from deleted`

export const countFiles = (sql: Sql, partId: string) => sql<[{ files: number }]>`
  select count(*)::int as files from sourcing.files where part_id = ${partId} and removed_at is null`

/** The number of PENDING files, counted up to `limit`. */
export const countPending = (sql: Sql, orgId: string, limit: number) => sql<[{ files: number }]>`
  select count(*)::int as files
  from (select from sourcing.files where org_id = ${orgId} and state = 'PENDING' limit ${limit}) pending`

export const findStoredBytes = (sql: Sql, orgId: string) => sql<{ stored_bytes: string }[]>`
  select stored_bytes from sourcing.storage_usage where org_id = ${orgId}`

/** Advances the revision of the part, and selects its newest READY preview. */
export const touchPart = (tx: Tx, partId: string, now: string) => tx`
  update sourcing.parts p set revision = p.revision + 1, updated_at = ${now}, preview_file_id = (
    select f.id from sourcing.files f
    where f.part_id = p.id and f.file_group = 'preview' and f.state = 'READY' and f.removed_at is null
    order by f.id desc limit 1)
  where p.id = ${partId}`
