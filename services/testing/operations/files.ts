import type { File } from '../../../proto/http/sourcing/files.ts'
import type { Preview } from '../../../proto/http/sourcing/previews.ts'
import type { Upload } from '../../../proto/http/sourcing/uploads.ts'
import { newId } from '../../kit/db/ids.ts'
import { succeeded } from '../client.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import type { Place } from './inputs.ts'
import { administratorOf } from './record-kind.ts'

/** An upload of the account's organization, without bytes. */
export async function openUpload(fixtures: Fixtures, account: Account, isPublic = false): Promise<Upload> {
  const client = await administratorOf(fixtures, account)
  return succeeded(client.post<Upload>('/v1/uploads', { name: 'impeller.stl', public: isPublic }))
}

/** Creates an upload with its bytes and returns its id. */
export async function completedUpload(fixtures: Fixtures, account: Account, isPublic = false): Promise<string> {
  const { id, uploadUrl, method, headers } = await openUpload(fixtures, account, isPublic)
  const { url, config } = fixtures.market
  await fetch(uploadUrl.replace(config.PUBLIC_URL, url), { method, headers, body: 'solid impeller' })
  return id
}

/** Creates a file without bytes and returns its id. */
export async function createFile({ market }: Fixtures, { orgId }: Account, partId: string): Promise<string> {
  const id = newId('file')
  await market.db.owner`
    insert into sourcing.files (id, part_id, org_id, name, file_group, state, reason, public, created_at)
    values (${id}, ${partId}, ${orgId}, 'a', 'document', 'FAILED', 'too_large', false, now())`
  return id
}

/** Creates a file that can be downloaded and returns it as listed. */
export async function readyFile(fixtures: Fixtures, account: Account, partId: string, isPublic = false): Promise<File> {
  const client = await administratorOf(fixtures, account)
  const uploadId = await completedUpload(fixtures, account, isPublic)
  const path = `/v1/parts/${partId}/files`
  await client.send('PATCH', path, { body: { add: [{ uploadId, group: 'document' }] } })
  const { body, text } = await client.get<{ items: File[] }>(path)
  const [file] = body.items
  if (!file) throw new Error(`a file could not be created: ${text}`)
  return file
}

/** Adds a file that counts as its own preview, and returns the preview as listed. */
export async function previewOf(fixtures: Fixtures, account: Account, partId: string): Promise<Preview> {
  const { id } = await readyFile(fixtures, account, partId)
  await fixtures.market.db.owner`
    with rendering as (
      insert into sourcing.renderings (object_key, state, finished_at)
      select object_key, 'READY', now() from sourcing.files where id = ${id} returning object_key
    )
    insert into sourcing.previews (id, object_key, kind, content_type)
    select object_key, object_key, 'IMAGE', 'image/png' from rendering`
  const client = await administratorOf(fixtures, account)
  const { body, text } = await client.get<{ items: File[] }>(`/v1/parts/${partId}/files`)
  const [preview] = body.items.find((file) => file.id === id)?.previews ?? []
  if (!preview) throw new Error(`a preview could not be made: ${text}`)
  return preview
}

/** The id in the path and the query parameters of a signed URL. */
export function signedValues(url: string, place: Place): Record<Place, unknown> {
  const { pathname, searchParams } = new URL(url)
  const query = [...searchParams].map(([name, value]) => [`query.${name}`, value])
  return { [place]: pathname.slice(pathname.lastIndexOf('/') + 1), ...Object.fromEntries(query) }
}
