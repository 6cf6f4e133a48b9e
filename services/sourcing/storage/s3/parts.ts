import { StorageFailure } from '../failures.ts'
import { Measure } from '../measure.ts'
import type { Facts, Incoming } from '../storage.ts'
import type { S3Client } from './client.ts'
import { elementIn } from './xml.ts'

/** What is held of a stream at once; no store takes smaller parts than 5 MiB. */
const PART_BYTES = 8 * 1024 * 1024
const PART_TIMEOUT_MS = 60_000

/** Stores a stream of unknown length: in one piece where it fits, else part by part. Nothing is there before the last one. */
export async function putInParts(
  client: S3Client,
  key: string,
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes, expectedBytes, signal, onProgress }: Incoming,
): Promise<Facts> {
  const measure = new Measure(maxBytes)
  const parts = new Parts(client, key, signal)
  const buffer = new Uint8Array(PART_BYTES)
  let filled = 0
  try {
    for await (const chunk of bytes) {
      signal.throwIfAborted()
      measure.add(chunk)
      for (let taken = 0; taken < chunk.byteLength; ) {
        const part = chunk.subarray(taken, taken + PART_BYTES - filled)
        buffer.set(part, filled)
        filled += part.byteLength
        taken += part.byteLength
        if (filled < PART_BYTES) continue
        await parts.send(buffer)
        filled = 0
      }
      onProgress?.(measure.sizeBytes)
    }
    measure.demand(expectedBytes)
    await parts.finish(buffer.subarray(0, filled))
    return await measure.facts()
  } catch (error) {
    await parts.abort()
    throw error
  }
}

class Parts {
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

  async send(body: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#uploadId ??= await this.#begin()
    const query = { partNumber: String(this.#etags.length + 1), uploadId: this.#uploadId }
    const { headers } = await this.#client.text({
      method: 'PUT',
      key: this.#key,
      query,
      body,
      signal: this.#patience(),
    })
    this.#etags.push(headers.get('etag') ?? '')
  }

  async finish(rest: Uint8Array<ArrayBuffer>): Promise<void> {
    if (this.#uploadId === undefined) {
      await this.#client.text({ method: 'PUT', key: this.#key, body: rest, signal: this.#patience() })
      return
    }
    if (rest.byteLength > 0) await this.send(rest)
    const list = this.#etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
    )
    const { text } = await this.#client.text({
      method: 'POST',
      key: this.#key,
      query: { uploadId: this.#uploadId },
      body: `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`,
      signal: this.#patience(),
    })
    // A store may begin to answer 200 before it knows that it fails.
    if (elementIn(text, 'Code') !== undefined) throw new StorageFailure('The file store could not keep an object.')
  }

  /** What was sent is let go; what cannot be let go now is tidied up later. */
  async abort(): Promise<void> {
    if (this.#uploadId === undefined) return
    const query = { uploadId: this.#uploadId }
    await this.#client.text({ method: 'DELETE', key: this.#key, query }).catch(() => {})
  }

  async #begin(): Promise<string> {
    const { text } = await this.#client.text({
      method: 'POST',
      key: this.#key,
      query: { uploads: '' },
      signal: this.#patience(),
    })
    const uploadId = elementIn(text, 'UploadId')
    if (uploadId === undefined) throw new StorageFailure('The file store did not begin an upload.')
    return uploadId
  }

  #patience(): AbortSignal {
    return AbortSignal.any([this.#signal, AbortSignal.timeout(PART_TIMEOUT_MS)])
  }
}
