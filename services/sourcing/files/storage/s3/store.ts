import { contentLengthOf } from '../../../../kit/limits/content-length.ts'
import { attachment } from '../content-disposition.ts'
import { Digest } from '../digest.ts'
import { StorageFailure } from '../failures.ts'
import { readWithIdleTimeout, withIdleTimeout } from '../idle-timeout.ts'
import { UNKNOWN_TYPE } from '../sniff.ts'
import {
  type Download,
  MAX_FILE_BYTES,
  type ObjectInfo,
  type PutOptions,
  requireKey,
  type SignedUrl,
  type Storage,
  type StoredObject,
} from '../storage.ts'
import { S3Client, S3Error, type S3Options } from './client.ts'
import { putStream } from './multipart.ts'
import { elementIn, elementsIn } from './xml.ts'

/** S3 copies on the server side, which takes minutes for the largest files. */
const COPY_TIMEOUT_MS = 5 * 60_000
const IDLE_MS = 30_000

export interface S3StorageOptions extends S3Options {
  conditionalPut: boolean
  /** The longest pause while an object is read. */
  idleMs?: number
}

/** Objects in a bucket of an S3-compatible store. Clients upload to and download from the store itself. */
export class S3Storage implements Storage {
  readonly driver = 's3'
  readonly #client: S3Client
  readonly #conditionalPut: boolean
  readonly #idleMs: number

  constructor({ conditionalPut, idleMs = IDLE_MS, ...options }: S3StorageOptions) {
    this.#client = new S3Client(options)
    this.#conditionalPut = conditionalPut
    this.#idleMs = idleMs
  }

  /** Sends a request whose error code tells a wrong endpoint, bucket, region and key apart, unlike that of a HEAD. */
  async check(): Promise<void> {
    await this.#client.text({ method: 'GET', query: { uploads: '', 'max-uploads': '1' } })
  }

  async uploadUrl(key: string, expiresAt: Date): Promise<SignedUrl> {
    const headers: Record<string, string> = this.#conditionalPut ? { 'if-none-match': '*' } : {}
    const url = await this.#client.presign({ method: 'PUT', key: requireKey(key), headers }, expiresAt)
    return { url, headers, expiresAt: await this.#client.endOf(expiresAt) }
  }

  async downloadUrl(key: string, { name, contentType, expiresAt }: Download): Promise<string> {
    const query = { 'response-content-disposition': attachment(name), 'response-content-type': contentType }
    return this.#client.presign({ method: 'GET', key: requireKey(key), query }, expiresAt)
  }

  async find(key: string): Promise<StoredObject | undefined> {
    try {
      const response = await this.#client.send({ method: 'HEAD', key: requireKey(key) })
      const sizeBytes = contentLengthOf(response)
      if (sizeBytes === undefined) throw new StorageFailure("The file store did not state an object's size.")
      return { sizeBytes, etag: response.headers.get('etag') ?? '' }
    } catch (error) {
      if (!isMissing(error)) throw error
      await this.#requireBucket()
      return undefined
    }
  }

  async put(key: string, bytes: AsyncIterable<Uint8Array>, options: PutOptions): Promise<ObjectInfo> {
    return putStream(this.#client, requireKey(key), bytes, options)
  }

  async copy(from: string, to: string, etag: string, stopSignal: AbortSignal): Promise<boolean> {
    const headers = {
      'x-amz-copy-source': `/${this.#client.bucket}/${requireKey(from)}`,
      'x-amz-copy-source-if-match': etag,
      // Drops the headers that the uploader set, such as encoding, language and caching.
      'x-amz-metadata-directive': 'REPLACE',
      'content-type': UNKNOWN_TYPE,
    }
    const signal = AbortSignal.timeout(COPY_TIMEOUT_MS)
    try {
      const { text } = await this.#client.text({ method: 'PUT', key: requireKey(to), headers, signal, stopSignal })
      // S3 reports a copy that fails half way in the body of a 200.
      if (elementIn(text, 'Code') !== undefined) throw new StorageFailure('The file store could not copy an object.')
      return true
    } catch (error) {
      if (isMissing(error) || (error instanceof S3Error && error.status === 412)) return false
      if (stopSignal.aborted) throw stopSignal.reason
      if (signal.aborted) throw new StorageFailure('Copying an object took the file store too long.', error)
      throw error
    }
  }

  async *read(key: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { chunks } = await this.#open(key, signal)
    yield* chunks
  }

  async inspect(key: string, signal: AbortSignal): Promise<ObjectInfo> {
    const { response, chunks } = await this.#open(key, signal)
    const digest = new Digest(MAX_FILE_BYTES)
    for await (const chunk of chunks) digest.update(chunk)
    return digest.finish(contentLengthOf(response))
  }

  async #open(key: string, signal: AbortSignal): Promise<{ response: Response; chunks: AsyncIterable<Uint8Array> }> {
    const limit = { signal, idleMs: this.#idleMs }
    const get = { method: 'GET', key: requireKey(key) } as const
    const response = await withIdleTimeout((aborted) => this.#client.send({ ...get, signal: aborted }), limit)
    return { response, chunks: readWithIdleTimeout(response.body ?? new Blob([]).stream(), limit) }
  }

  async remove(key: string, stopSignal?: AbortSignal): Promise<void> {
    await this.#client.text({ method: 'DELETE', key: requireKey(key), stopSignal }).catch(unlessMissing)
  }

  async removeIncomplete(before: Date, stopSignal?: AbortSignal): Promise<void> {
    const { text } = await this.#client.text({ method: 'GET', query: { uploads: '' }, stopSignal })
    for (const upload of elementsIn(text, 'Upload')) {
      const [key, uploadId, initiated] = ['Key', 'UploadId', 'Initiated'].map((name) => elementIn(upload, name))
      if (!key || !uploadId || !initiated || new Date(initiated) >= before) continue
      await this.#client.text({ method: 'DELETE', key, query: { uploadId }, stopSignal }).catch(unlessMissing)
    }
  }

  /** A missing object and a missing bucket are both 404 for HEAD. */
  async #requireBucket(): Promise<void> {
    await this.#client.send({ method: 'HEAD' }).catch((error: unknown) => {
      throw isMissing(error) ? new StorageFailure('The bucket of the file store does not exist.', error) : error
    })
  }
}

const isMissing = (error: unknown) => error instanceof S3Error && error.status === 404

function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error
}
