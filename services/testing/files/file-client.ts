import type { File, FileGroup } from '../../../proto/http/sourcing/files.ts'
import type { Upload } from '../../../proto/http/sourcing/uploads.ts'
import { type ApiClient, succeeded } from '../client.ts'
import type { TestMarketplace } from '../marketplace.ts'
import type { Problem } from '../people.ts'

export type Bytes = string | Uint8Array<ArrayBuffer> | Blob

/** A client of the file operations, over real HTTP. */
export class FileClient {
  readonly #market: TestMarketplace
  readonly client: ApiClient

  readonly #url: string

  /** For the marketplace, or for a process on the same database. */
  constructor(market: TestMarketplace, client: ApiClient, url = market.url) {
    this.#market = market
    this.#url = url
    this.client = client
  }

  /** The database, as its owner. */
  get rows() {
    return this.#market.db.owner
  }

  /** Replaces the configured public URL by the URL of the test server. */
  localUrl(url: string): string {
    return url.replace(this.#market.config.PUBLIC_URL, this.#url)
  }

  async createPart(more: object = {}): Promise<string> {
    return (
      await succeeded(
        this.client.post<{ id: string }>('/v1/parts', {
          title: 'Impeller',
          materialType: 'metal',
          ...more,
        }),
      )
    ).id
  }

  async createPublishedPart(more: object = {}): Promise<string> {
    const id = await this.createPart(more)
    await succeeded(this.client.post(`/flows/v1/parts/${id}/publish`))
    return id
  }

  async createUpload(name = 'impeller.stl', isPublic = false): Promise<Upload> {
    return succeeded(this.client.post<Upload>('/v1/uploads', { name, public: isPublic }))
  }

  putBytes({ uploadUrl, method, headers }: Upload, bytes: Bytes): Promise<Response> {
    return fetch(this.localUrl(uploadUrl), { method, headers, body: bytes })
  }

  /** A chunked PUT without a Content-Length. */
  putStream({ uploadUrl, method, headers }: Upload, body: ReadableStream, signal?: AbortSignal): Promise<Response> {
    return fetch(this.localUrl(uploadUrl), { method, headers, body, ...(signal ? { signal } : {}) })
  }

  /** Creates an upload and sends its bytes. */
  async uploadBytes(bytes: Bytes = 'solid impeller', name?: string, isPublic?: boolean): Promise<Upload> {
    const upload = await this.createUpload(name, isPublic)
    const { status } = await this.putBytes(upload, bytes)
    if (status !== 204 && status !== 200) throw new Error(`the PUT was refused: ${status}`)
    return upload
  }

  changeFiles(partId: string, body: unknown) {
    return this.client.send<Problem>('PATCH', `/v1/parts/${partId}/files`, { body })
  }

  /** Adds one file and returns it as listed. */
  async addFile(partId: string, bytes: Bytes, group: FileGroup = 'document', name?: string, isPublic?: boolean) {
    const { id } = await this.uploadBytes(bytes, name, isPublic)
    await succeeded(this.changeFiles(partId, { add: [{ uploadId: id, group }] }))
    const [file] = await this.listFiles(partId)
    return file as File
  }

  async listFiles(partId: string, by: ApiClient = this.client): Promise<File[]> {
    return (await succeeded(by.get<{ items: File[] }>(`/v1/parts/${partId}/files`))).items
  }

  download({ downloadUrl = '' }: File, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.localUrl(downloadUrl), { headers, redirect: 'manual' })
  }
}
