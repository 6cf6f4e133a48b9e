import { AwsV4Signer } from 'aws4fetch'
import { StorageFailure } from '../failures.ts'
import { elementIn } from './xml.ts'

export interface S3Options {
  endpoint: string
  /** Where clients reach the store. */
  publicEndpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
  addressing: 'path' | 'virtual-host'
  /** Certificates to believe besides those of the system, as PEM. */
  ca?: string | undefined
  clock: () => number
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** None: the bucket itself. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Uint8Array<ArrayBuffer> | string
  /** How long the request may take; ten seconds unless it says more. */
  signal?: AbortSignal
  /** Its caller stops, and waits for it no longer. */
  stop?: AbortSignal | undefined
}

/** An answer to what was asked, and no success: there is no such object, or it is another one. */
export class S3Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(`the store answered ${status} ${code}`)
    this.name = 'S3Refusal'
    this.status = status
    this.code = code
  }
}

/** No such object; not the one that was meant. */
const ANSWERS = new Set([404, 412])
const REQUEST_TIMEOUT_MS = 10_000
const MAX_ANSWER_CHARACTERS = 1024 * 1024

interface Signing {
  method: string
  url: string
  headers: Record<string, string>
  signQuery?: boolean
}

/** Sends requests to one bucket, signed with AWS signature version 4, and signs addresses for others to use. */
export class S3Client {
  readonly #options: S3Options
  readonly #signingKeys = new Map<string, ArrayBuffer>()

  constructor(options: S3Options) {
    this.#options = options
  }

  get bucket(): string {
    return this.#options.bucket
  }

  /** A success, with its body still to be read. Whatever is no answer to what was asked is a 503. */
  async send({ method, key, query = {}, headers = {}, body, signal, stop }: S3Request): Promise<Response> {
    const hash = body === undefined ? {} : { 'x-amz-content-sha256': sha256Of(body) }
    const url = this.#urlOf(this.#options.endpoint, key, query)
    const signed = await this.#signer({ method, url: url.href, headers: { ...headers, ...hash } }).sign()
    // Not signed, for a proxy may change it; nothing between us and the store shall pack what it sends.
    signed.headers.set('accept-encoding', 'identity')
    const { ca } = this.#options
    const response = await fetch(signed.url, {
      method,
      headers: signed.headers,
      redirect: 'manual',
      // The bytes of an object are what was sent, whatever its uploader calls them.
      decompress: false,
      signal: AbortSignal.any([signal ?? AbortSignal.timeout(REQUEST_TIMEOUT_MS), ...(stop ? [stop] : [])]),
      ...(body === undefined ? {} : { body }),
      ...(ca === undefined ? {} : { tls: { ca } }),
    }).catch((error: unknown) => {
      if (stop?.aborted) throw stop.reason
      if (signal?.aborted) throw signal.reason
      throw new StorageFailure('The file store does not answer.', error)
    })
    if (response.ok) return response
    const refusal = await refusalOf(response)
    // A key that was withdrawn, or may not do what we need, is the operator's to mend as an outage is.
    const isShut = response.status === 401 || response.status === 403
    if (isShut) throw new StorageFailure('The file store does not let us in.', refusal)
    if (ANSWERS.has(response.status) && refusal.code !== 'NoSuchBucket') throw refusal
    // A redirect or a 400 tells of a wrong region, a bucket that is too new, a token whose time is over.
    throw new StorageFailure('The file store does not answer as it should.', refusal)
  }

  /** A request whose answer is short and is read at once. */
  async text(request: S3Request): Promise<{ headers: Headers; text: string }> {
    const response = await this.send(request)
    const text = await response.text()
    return { headers: response.headers, text: text.slice(0, MAX_ANSWER_CHARACTERS) }
  }

  /** An address that does one thing until then, without any key, if the given headers are sent along. */
  async presign({ method, key, query = {}, headers = {} }: S3Request, expiresAt: Date): Promise<string> {
    const seconds = Math.max(1, Math.floor((expiresAt.getTime() - this.#options.clock()) / 1000))
    const url = this.#urlOf(this.#options.publicEndpoint, key, { ...query, 'X-Amz-Expires': String(seconds) })
    const signed = await this.#signer({ method, url: url.href, headers, signQuery: true }).sign()
    // A plus sign stands for a space in some stores and for itself in others.
    return signed.url.href.replaceAll('+', '%20')
  }

  #signer(signing: Signing): AwsV4Signer {
    const { accessKeyId, secretAccessKey, sessionToken, region, clock } = this.#options
    return new AwsV4Signer({
      ...signing,
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      cache: this.#signingKeys,
      datetime: new Date(clock()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
      allHeaders: true,
    })
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

async function refusalOf(response: Response): Promise<S3Refusal> {
  const text = await response.text().catch(() => '')
  return new S3Refusal(response.status, elementIn(text.slice(0, MAX_ANSWER_CHARACTERS), 'Code') ?? '')
}
