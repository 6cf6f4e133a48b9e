import { AwsV4Signer } from 'aws4fetch'
import { LRUCache } from 'lru-cache'
import { StorageFailure } from '../failures.ts'
import type { Credentials } from './credentials.ts'
import { elementIn } from './xml.ts'

export interface S3Options {
  endpoint: string
  /** The endpoint for clients, in signed URLs. */
  publicEndpoint: string
  bucket: string
  region: string
  credentials: Credentials
  addressing: 'path' | 'virtual-host'
  /** Additional certificate authorities, as PEM. */
  ca?: string | undefined
  clock: () => number
}

interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Undefined for a request on the bucket. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Uint8Array<ArrayBuffer> | string
  /** Default: a timeout of ten seconds. */
  signal?: AbortSignal
  /** Aborted when the caller shuts down. */
  stopSignal?: AbortSignal | undefined
}

/** An error response of the store. */
export class S3Error extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(`the store answered ${status} ${code}`)
    this.name = 'S3Error'
    this.status = status
    this.code = code
  }
}

/** Not found, and precondition failed: the caller handles them. */
const EXPECTED_ERRORS = new Set([404, 412])
const REQUEST_TIMEOUT_MS = 10_000
const MAX_BODY_CHARACTERS = 1024 * 1024

interface Signing {
  method: string
  url: string
  headers: Record<string, string>
  signQuery?: boolean
}

/** Sends requests to one bucket, signed with AWS signature version 4, and presigns URLs. */
export class S3Client {
  readonly #options: S3Options
  /** Signing keys, one for each access key and day. */
  readonly #signingKeys = new LRUCache<string, ArrayBuffer>({ max: 10 })

  constructor(options: S3Options) {
    this.#options = options
  }

  get bucket(): string {
    return this.#options.bucket
  }

  /** A successful response with an unread body. Throws S3Error for 404 and 412, and a 503 for every other status. */
  async send({ method, key, query = {}, headers = {}, body, signal, stopSignal }: S3Request): Promise<Response> {
    const hash = body === undefined ? {} : { 'x-amz-content-sha256': sha256Of(body) }
    const url = this.#urlOf(this.#options.endpoint, key, query)
    const signed = await this.#sign({ method, url: url.href, headers: { ...headers, ...hash } })
    // Unsigned, because a proxy may change it. `identity` keeps proxies from compressing the object.
    signed.headers.set('accept-encoding', 'identity')
    const { ca } = this.#options
    const response = await fetch(signed.url, {
      method,
      headers: signed.headers,
      redirect: 'manual',
      // An uploader may have set any `Content-Encoding`; the stored bytes are the object.
      decompress: false,
      signal: AbortSignal.any([signal ?? AbortSignal.timeout(REQUEST_TIMEOUT_MS), ...(stopSignal ? [stopSignal] : [])]),
      ...(body === undefined ? {} : { body }),
      ...(ca === undefined ? {} : { tls: { ca } }),
    }).catch((error: unknown) => {
      if (stopSignal?.aborted) throw stopSignal.reason
      if (signal?.aborted) throw signal.reason
      throw new StorageFailure('The file store is not available.', error)
    })
    if (response.ok) return response
    const error = await errorOf(response)
    const isDenied = response.status === 401 || response.status === 403
    if (isDenied) throw new StorageFailure('The file store denied access.', error)
    if (EXPECTED_ERRORS.has(response.status) && error.code !== 'NoSuchBucket') throw error
    if (error.code === 'NoSuchBucket') throw new StorageFailure('The bucket of the file store does not exist.', error)
    // For example a redirect or a 400 because of a wrong region or an expired session token.
    throw new StorageFailure('The file store sent an unexpected response.', error)
  }

  /** Sends a request and reads its short response. */
  async text(request: S3Request): Promise<{ headers: Headers; text: string }> {
    const response = await this.send(request)
    const text = await response.text()
    return { headers: response.headers, text: text.slice(0, MAX_BODY_CHARACTERS) }
  }

  /** A URL that allows one request without credentials, with these headers, until it expires. */
  async presign({ method, key, query = {}, headers = {} }: S3Request, expiresAt: Date): Promise<string> {
    const seconds = Math.max(1, Math.floor((expiresAt.getTime() - this.#options.clock()) / 1000))
    const url = this.#urlOf(this.#options.publicEndpoint, key, { ...query, 'X-Amz-Expires': String(seconds) })
    const signed = await this.#sign({ method, url: url.href, headers, signQuery: true })
    // Some stores decode `+` as a space, others as itself.
    return signed.url.href.replaceAll('+', '%20')
  }

  /** The end of a URL that is signed now: at most that of the access key. */
  async endOf(expiresAt: Date): Promise<Date> {
    const { expiration } = await this.#accessKey()
    return expiration && expiration < expiresAt ? expiration : expiresAt
  }

  #accessKey() {
    return this.#options.credentials().catch((error: unknown) => {
      throw new StorageFailure('The platform gives no access key for the file store.', error)
    })
  }

  async #sign(signing: Signing) {
    const { region, clock } = this.#options
    const { accessKeyId, secretAccessKey, sessionToken } = await this.#accessKey()
    const signer = new AwsV4Signer({
      ...signing,
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      cache: this.#signingKeys as unknown as Map<string, ArrayBuffer>,
      datetime: new Date(clock()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
      allHeaders: true,
    })
    return signer.sign()
  }

  #urlOf(endpoint: string, key: string | undefined, query: Record<string, string>): URL {
    const { bucket, addressing } = this.#options
    const url = new URL(endpoint)
    if (addressing === 'virtual-host') url.hostname = `${bucket}.${url.hostname}`
    url.pathname = [...(addressing === 'path' ? [bucket] : []), ...(key === undefined ? [] : [key])].join('/')
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url
  }
}

const sha256Of = (body: Uint8Array | string) => new Bun.CryptoHasher('sha256').update(body).digest('hex')

async function errorOf(response: Response): Promise<S3Error> {
  const text = await response.text().catch(() => '')
  return new S3Error(response.status, elementIn(text.slice(0, MAX_BODY_CHARACTERS), 'Code') ?? '')
}
