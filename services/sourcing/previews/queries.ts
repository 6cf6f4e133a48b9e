import type { RenderingFailure } from '../../../proto/http/sourcing/previews.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import type { Geometry } from './rendering/render.ts'

export const findPreview = (sql: Sql, id: string) => sql<{ content_type: string }[]>`
  select content_type from sourcing.previews where id = ${id}`

interface RenderedFile {
  name: string
  size_bytes: string
  sha256: string
}

/** The first file of an object. No row where it was removed. */
export const findFileOfObject = (sql: Sql, key: string) => sql<RenderedFile[]>`
  select name, size_bytes, sha256 from sourcing.files where object_key = ${key} and copy_of is null`

/** Locks the part of an object, in the same order as every other change. */
export const lockPartOfObject = (tx: Tx, key: string) => tx`
  select id from sourcing.parts
  where id = (select part_id from sourcing.files where object_key = ${key} and copy_of is null) for update`

/** Locks the file that owns an object, so that the object is kept until the end of the transaction. */
export const lockFileOfObject = (tx: Tx, key: string) => tx<{ id: string; part_id: string | null; org_id: string }[]>`
  select id, part_id, org_id from sourcing.files where object_key = ${key} and copy_of is null for share`

export interface NewPreview {
  id: string
  kind: 'MODEL' | 'IMAGE' | 'PAGE'
  page: number | null
  contentType: string
  width: number | null
  height: number | null
  bytes: number
}

export const insertRendering = (
  tx: Tx,
  key: string,
  { reason, geometry }: { reason?: RenderingFailure | undefined; geometry?: Geometry | undefined },
  now: string,
) => tx`
  insert into sourcing.renderings (object_key, state, reason, geometry, finished_at)
  values (${key}, ${reason ? 'FAILED' : 'READY'}, ${reason ?? null},
    ${geometry ? JSON.stringify(geometry) : null}::text::json, ${now})`

/** The previews of an object count toward the stored bytes of the organization of its file. */
export const insertPreviews = (tx: Tx, key: string, orgId: string, previews: readonly NewPreview[]) => tx`
  insert into sourcing.previews (id, object_key, kind, page, content_type, width, height, org_id, counted_bytes)
  select id, ${key}, kind, page, "contentType", width, height, ${orgId}, bytes
  from json_to_recordset(${JSON.stringify(previews)}::text::json) as given (
    id text, kind text, page smallint, "contentType" text, width integer, height integer, bytes bigint)`

/** Writes what is known of the models of a locked part, also as its pinned revisions list them. */
export const measurePart = (tx: Tx, partId: string, fileId: string) => tx`
  with revisions as (
    update sourcing.part_revisions set measured = sourcing.measured_of(file_ids)
    where part_id = ${partId} and ${fileId} = any(file_ids)
  )
  select sourcing.measure_part(${partId})`
