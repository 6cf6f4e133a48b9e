import { Digest } from '../digest.ts'
import { StorageFailure } from '../failures.ts'
import type { ObjectInfo, PutOptions } from '../storage.ts'
import type { S3Client } from './client.ts'
import { elementIn } from './xml.ts'

/** Size of a part, which each put holds in memory. S3 refuses parts below 5 MiB. */
const PART_BYTES = 8 * 1024 * 1024
const PART_TIMEOUT_MS = 60_000

/** Stores a stream: one PUT if it fits into a part, a multipart upload otherwise. */
export async function putStream(
  client: S3Client,
  key: string,
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes, expectedBytes, signal, onProgress }: PutOptions,
): Promise<ObjectInfo> {
  const digest = new Digest(maxBytes)
  const upload = new MultipartUpload(client, key, signal)
  const buffer = new Uint8Array(PART_BYTES)
  let filled = 0
  try {
    for await (const chunk of bytes) {
      signal.throwIfAborted()
      digest.update(chunk)
      for (let taken = 0; taken < chunk.byteLength; ) {
        const piece = chunk.subarray(taken, taken + PART_BYTES - filled)
        buffer.set(piece, filled)
        filled += piece.byteLength
        taken += piece.byteLength
        if (filled < PART_BYTES) continue
        await upload.sendPart(buffer)
        filled = 0
      }
      onProgress?.(digest.sizeBytes)
    }
    const info = await digest.finish(expectedBytes)
    await upload.complete(buffer.subarray(0, filled))
    return info
  } catch (error) {
    await upload.abort()
    throw error
  }
}

/** The object does not exist before `complete`. */
class MultipartUpload {
  readonly #client: S3Client
  readonly #key: string
  readonly #signal: AbortSignal
  readonly #etags: string[] = []
  #uploadId: string | undefined

  constructor(client: S3Client, key: string, signal: AbortSignal) {
    this.#client = client
    this.#key = key
    this.#signal = signal
  }

  async sendPart(body: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#uploadId ??= await this.#create()
    const query = { partNumber: String(this.#etags.length + 1), uploadId: this.#uploadId }
    const { headers } = await this.#client.text({ method: 'PUT', key: this.#key, query, body, ...this.#timeout() })
    this.#etags.push(headers.get('etag') ?? '')
  }

  async complete(rest: Uint8Array<ArrayBuffer>): Promise<void> {
    if (this.#uploadId === undefined) {
      await this.#client.text({ method: 'PUT', key: this.#key, body: rest, ...this.#timeout() })
      return
    }
    if (rest.byteLength > 0) await this.sendPart(rest)
    const parts = this.#etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
    )
    const { text } = await this.#client.text({
      method: 'POST',
      key: this.#key,
      query: { uploadId: this.#uploadId },
      body: `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
      ...this.#timeout(),
    })
    // S3 may send the status 200 before it knows the result, and report an error in the body.
    if (elementIn(text, 'Code') !== undefined) throw new StorageFailure('The file store could not store an object.')
  }

  /** A failure is ignored, because `removeIncomplete` deletes the parts later. */
  async abort(): Promise<void> {
    if (this.#uploadId === undefined) return
    const query = { uploadId: this.#uploadId }
    await this.#client.text({ method: 'DELETE', key: this.#key, query }).catch(() => {})
  }

  async #create(): Promise<string> {
    const query = { uploads: '' }
    const { text } = await this.#client.text({ method: 'POST', key: this.#key, query, ...this.#timeout() })
    const uploadId = elementIn(text, 'UploadId')
    if (uploadId === undefined) throw new StorageFailure('The file store did not begin a multipart upload.')
    return uploadId
  }

  #timeout(): { signal: AbortSignal } {
    return { signal: AbortSignal.any([this.#signal, AbortSignal.timeout(PART_TIMEOUT_MS)]) }
  }
}
