/** Computed from the bytes of an object. */
export interface ObjectInfo {
  sizeBytes: number
  /** In lower-case hexadecimal. */
  sha256: string
  /** Detected from the bytes; declared types are ignored. */
  contentType: string
}

export interface StoredObject {
  sizeBytes: number
  /** Changes when the bytes do. */
  etag: string
  /** Present where the bytes passed through this process. */
  info?: ObjectInfo
}

export interface SignedUrl {
  url: string
  /** Headers that the client must send with the request. */
  headers: Record<string, string>
  /** May be earlier than asked for, because a URL ends with the key that signed it. */
  expiresAt: Date
}

export interface Download {
  /** The file name in `Content-Disposition`. */
  name: string
  contentType: string
  expiresAt: Date
}

export interface PutOptions {
  maxBytes: number
  /** The length that the sender announced; an object of another length is not stored. */
  expectedBytes?: number | undefined
  signal: AbortSignal
  onProgress?: (receivedBytes: number) => void
}

/** The stream was longer than `maxBytes`; nothing was stored. */
export class TooLarge extends Error {
  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`)
    this.name = 'TooLarge'
  }
}

/** The stream was shorter or longer than announced; nothing was stored. */
export class LengthMismatch extends Error {
  constructor() {
    super('not as long as announced')
    this.name = 'LengthMismatch'
  }
}

/** The key is in use; its object is unchanged. */
export class AlreadyStored extends Error {
  constructor() {
    super('already stored')
    this.name = 'AlreadyStored'
  }
}

/**
 * The bytes of files. One conformance suite tests both drivers: an object exists completely or not at all, an upload
 * URL works once, and an unavailable store is a 503.
 */
export interface Storage {
  readonly driver: 'folder' | 's3'
  /** Throws with the reason if the store cannot be used. */
  check(): Promise<void>
  /** A URL that takes the bytes of an object once, without other credentials. */
  uploadUrl(key: string, expiresAt: Date): Promise<SignedUrl>
  /** A URL that returns an object as an attachment, without other credentials. */
  downloadUrl(key: string, download: Download): Promise<string>
  /** Undefined for an object that does not exist or is incomplete. */
  find(key: string): Promise<StoredObject | undefined>
  /** Stores a stream as an object, in bounded memory. */
  put(key: string, bytes: AsyncIterable<Uint8Array>, options: PutOptions): Promise<ObjectInfo>
  /** Copies an object if it still has this etag; false if it has another one or does not exist. */
  copy(from: string, to: string, etag: string, signal: AbortSignal): Promise<boolean>
  /** The bytes of an object, in bounded memory. Fails for one that does not exist. */
  read(key: string, signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Reads an object from end to end. */
  inspect(key: string, signal: AbortSignal): Promise<ObjectInfo>
  /** Deletes an object; does nothing if it does not exist. */
  remove(key: string, signal?: AbortSignal): Promise<void>
  /** Deletes the temporary data of puts that began before this time and did not finish. */
  removeIncomplete(before: Date, signal?: AbortSignal): Promise<void>
}

/** 512 MiB, for uploads and imports alike. */
export const MAX_FILE_BYTES = 512 * 1024 * 1024

const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/

/** Keys are our own ids. Any other text could leave the folder or the bucket. */
export function requireKey(key: string): string {
  if (!KEY.test(key)) throw new Error('not a key of an object')
  return key
}
