import type { Document, UpdateOrderDocumentsRequest } from '../../proto/http/sourcing/documents.ts'
import type { Upload } from '../../proto/http/sourcing/uploads.ts'
import { newId } from '../kit/db/ids.ts'
import { type ApiClient, succeeded } from './client.ts'
import { type Bytes, FileClient } from './files/file-client.ts'
import type { TestMarketplace } from './marketplace.ts'
import type { Page, Problem } from './people.ts'

export type Collection = 'rfqs' | 'offers' | 'orders' | 'cases'
type Sent = NonNullable<UpdateOrderDocumentsRequest['add']>[number]

/** The requests of one client about the documents of records. */
export function documentsOf(market: TestMarketplace, client: ApiClient) {
  const files = new FileClient(market, client)
  const path = (of: Collection, id: string) => `/flows/v1/${of}/${id}/files`
  const change = (of: Collection, id: string, body: unknown, headers: Record<string, string> = {}) =>
    client.send<Problem>('PATCH', path(of, id), { body, headers })
  const list = (of: Collection, id: string, query = '') =>
    client.get<Page<Document> & Problem>(`${path(of, id)}${query}`)
  return {
    upload: (bytes?: Bytes, name?: string, isPublic?: boolean): Promise<Upload> =>
      files.uploadBytes(bytes, name, isPublic),
    change,
    list,
    download: ({ downloadUrl = '' }: Document) => fetch(files.localUrl(downloadUrl)),
    /** The names of the documents, newest first, or the status of the refusal. */
    async names(of: Collection, id: string): Promise<string[] | number> {
      const { status, body } = await list(of, id)
      return status === 200 ? body.items.map(({ name }) => name) : status
    },
    /** Adds a document and returns it as listed. */
    async add(of: Collection, id: string, more: Partial<Sent> = {}, bytes: Bytes = 'solid'): Promise<Document> {
      const { id: uploadId } = await files.uploadBytes(bytes, more.name)
      await succeeded(change(of, id, { add: [{ uploadId, kind: 'OTHER', ...more }] }))
      const [document] = (await list(of, id)).body.items
      return document as Document
    },
  }
}

interface DocumentRow {
  orgId: string
  kind: 'rfq' | 'offer' | 'order' | 'case'
  recordId: string
  state?: 'PENDING' | 'FAILED'
  documentKind?: string
}

/** Inserts a document without bytes under the owner's role. */
export async function insertDocument({ db }: TestMarketplace, row: DocumentRow): Promise<string> {
  const id = newId('file')
  const { orgId, kind, recordId, state = 'FAILED', documentKind = 'OTHER' } = row
  await db.owner`
    insert into sourcing.files (
      id, org_id, name, record_kind, record_id, document_kind, state, reason, public, created_at)
    values (${id}, ${orgId}, 'a', ${kind}, ${recordId}, ${documentKind}, ${state},
      ${state === 'FAILED' ? 'too_large' : null}, false, now())`
  return id
}
