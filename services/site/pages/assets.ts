import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { Raw } from '../../kit/http/raw.ts'
import { acceptsCoding } from '../../kit/http/stream.ts'
import { kept } from './kept.ts'

type Read = () => Promise<Uint8Array>

/** The highest quality is a tenth smaller, and takes ten times as long. */
const BROTLI_QUALITY = 9
const BEST_BROTLI_QUALITY = 11
/** Larger texts would take seconds at the highest quality. */
const MAX_BEST_BYTES = 200_000
const compress = {
  br: (bytes: Uint8Array) => {
    const quality = bytes.byteLength <= MAX_BEST_BYTES ? BEST_BROTLI_QUALITY : BROTLI_QUALITY
    return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
  },
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes),
}

const CACHED = { 'cache-control': 'public, max-age=3600' }

/** Pages load nothing from other origins, cannot be framed, and send no referrer. */
export const pageHeaders = (styles: string) => ({
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
  'referrer-policy': 'no-referrer',
})
export const PAGE_HEADERS = pageHeaders("'self'")

/** A text for browsers. It is compressed when it is first requested, and kept. */
export class Asset {
  readonly #read: Read
  readonly #mediaType: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #in: Readonly<Record<keyof typeof compress, () => Promise<Uint8Array>>>

  constructor(mediaType: string, read: Read, headers: Readonly<Record<string, string>> = CACHED) {
    this.#mediaType = mediaType
    this.#read = read
    this.#headers = headers
    this.#in = { br: kept(() => read().then(compress.br)), gzip: kept(() => read().then(compress.gzip)) }
  }

  async answer(request: Request): Promise<Raw> {
    const accepted = request.headers.get('accept-encoding')
    const encoding = (['br', 'gzip'] as const).find((name) => acceptsCoding(accepted, name))
    const vary = [this.#headers.vary, 'Accept-Encoding'].filter(Boolean).join(', ')
    const headers = { ...this.#headers, vary }
    if (!encoding) return new Raw(await this.#read(), this.#mediaType, headers)
    return new Raw(await this.#in[encoding](), this.#mediaType, { ...headers, 'content-encoding': encoding })
  }
}

export const SCRIPT = 'text/javascript; charset=utf-8'
export const MARKDOWN = 'text/markdown; charset=utf-8'

const MEDIA_TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: SCRIPT,
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
}

/** A file with the media type of its name. */
export const fileAsset = (path: string) =>
  new Asset(MEDIA_TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream', () =>
    Bun.file(path).bytes(),
  )
