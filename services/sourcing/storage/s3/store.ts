import { begun, chunksOf } from '../chunks.ts'
import { attachment } from '../disposition.ts'
import { StorageFailure } from '../failures.ts'
import { Measure } from '../measure.ts'
import { UNKNOWN_TYPE } from '../sniff.ts'
import {
  type Download,
  type Facts,
  type Incoming,
  MAX_FILE_BYTES,
  requireKey,
  type SignedUrl,
  type Storage,
  type StoredObject,
} from '../storage.ts'
import { S3Client, type S3Options, S3Refusal } from './client.ts'
import { putInParts } from './parts.ts'
import { elementIn, elementsIn } from './xml.ts'

/** The store copies by itself; the largest files take it a while. */
const COPY_TIMEOUT_MS = 5 * 60_000
const IDLE_MS = 30_000

export interface S3StorageOptions extends S3Options {
  conditionalPut: boolean
  /** How long the store may say nothing while an object is read. */
  idleMs?: number
}

/** Objects in a bucket of any S3-compatible store, to which clients send their bytes and from which they get them. */
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

  async uploadUrl(key: string, expiresAt: Date): Promise<SignedUrl> {
    const headers: Record<string, string> = this.#conditionalPut ? { 'if-none-match': '*' } : {}
    return { url: await this.#client.presign({ method: 'PUT', key: requireKey(key), headers }, expiresAt), headers }
  }

  async downloadUrl(key: string, { name, contentType, expiresAt }: Download): Promise<string> {
    const query = { 'response-content-disposition': attachment(name), 'response-content-type': contentType }
    return this.#client.presign({ method: 'GET', key: requireKey(key), query }, expiresAt)
  }

  async find(key: string): Promise<StoredObject | undefined> {
    try {
      const { headers } = await this.#client.send({ method: 'HEAD', key: requireKey(key) })
      return { sizeBytes: Number(headers.get('content-length')), etag: headers.get('etag') ?? '' }
    } catch (error) {
      if (!isMissing(error)) throw error
      await this.#demandBucket()
      return undefined
    }
  }

  async put(key: string, bytes: AsyncIterable<Uint8Array>, incoming: Incoming): Promise<Facts> {
    return putInParts(this.#client, requireKey(key), bytes, incoming)
  }

  async copy(from: string, to: string, etag: string, stop: AbortSignal): Promise<boolean> {
    const headers = {
      'x-amz-copy-source': `/${this.#client.bucket}/${requireKey(from)}`,
      'x-amz-copy-source-if-match': etag,
      // What its uploader said of it (an encoding, a language, how long to cache) stays behind.
      'x-amz-metadata-directive': 'REPLACE',
      'content-type': UNKNOWN_TYPE,
    }
    const signal = AbortSignal.timeout(COPY_TIMEOUT_MS)
    try {
      const { text } = await this.#client.text({ method: 'PUT', key: requireKey(to), headers, signal, stop })
      // A copy that fails half way is told of in the body of a success.
      if (elementIn(text, 'Code') !== undefined) throw new StorageFailure('The file store could not copy an object.')
      return true
    } catch (error) {
      if (isMissing(error) || (error instanceof S3Refusal && error.status === 412)) return false
      if (stop.aborted) throw stop.reason
      if (signal.aborted) throw new StorageFailure('The file store was too slow to copy an object.', error)
      throw error
    }
  }

  async inspect(key: string, signal: AbortSignal): Promise<Facts> {
    const patience = { signal, idleMs: this.#idleMs }
    const get = { method: 'GET', key: requireKey(key) } as const
    const { body, headers } = await begun((until) => this.#client.send({ ...get, signal: until }), patience)
    const measure = new Measure(MAX_FILE_BYTES)
    if (body) for await (const chunk of chunksOf(body, patience)) measure.add(chunk)
    const announced = headers.get('content-length')
    measure.demand(announced === null ? undefined : Number(announced))
    return measure.facts()
  }

  async remove(key: string, stop?: AbortSignal): Promise<void> {
    await this.#client.text({ method: 'DELETE', key: requireKey(key), stop }).catch(unlessMissing)
  }

  async tidy(before: Date, stop?: AbortSignal): Promise<void> {
    const { text } = await this.#client.text({ method: 'GET', query: { uploads: '' }, stop })
    for (const upload of elementsIn(text, 'Upload')) {
      const [key, uploadId, initiated] = ['Key', 'UploadId', 'Initiated'].map((name) => elementIn(upload, name))
      if (!key || !uploadId || !initiated || new Date(initiated) >= before) continue
      await this.#client.text({ method: 'DELETE', key, query: { uploadId }, stop }).catch(unlessMissing)
    }
  }

  /** What is not there may be missing because nothing is. */
  async #demandBucket(): Promise<void> {
    await this.#client.send({ method: 'HEAD' }).catch((error: unknown) => {
      throw isMissing(error) ? new StorageFailure('The bucket of the file store does not exist.', error) : error
    })
  }
}

const isMissing = (error: unknown) => error instanceof S3Refusal && error.status === 404

function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error
}
