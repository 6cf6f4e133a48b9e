/** What is known of an object once its bytes were read from end to end. */
export interface Facts {
  sizeBytes: number
  /** In lower-case hexadecimal. */
  sha256: string
  /** What the bytes look like, never what somebody says they are. */
  contentType: string
}

export interface StoredObject {
  sizeBytes: number
  /** Changes when the bytes do. */
  etag: string
  /** Where the bytes came through this process, they were read on the way in. */
  facts?: Facts
}

export interface SignedUrl {
  url: string
  /** What the client has to send along, or the address does not work. */
  headers: Record<string, string>
}

export interface Download {
  /** What the file is saved as. */
  name: string
  contentType: string
  expiresAt: Date
}

export interface Incoming {
  maxBytes: number
  /** What the sender announced: anything else was cut off on the way, and nothing of it is kept. */
  expectedBytes?: number | undefined
  signal: AbortSignal
  onProgress?: (receivedBytes: number) => void
}

/** More than `maxBytes` came; nothing of it is kept. */
export class TooLarge extends Error {
  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`)
    this.name = 'TooLarge'
  }
}

/** The stream ended before, or after, the length that was announced. */
export class CutShort extends Error {
  constructor() {
    super('not as long as announced')
    this.name = 'CutShort'
  }
}

/** There is an object of this name already, and it stays as it is. */
export class AlreadyStored extends Error {
  constructor() {
    super('already stored')
    this.name = 'AlreadyStored'
  }
}

/**
 * Where the bytes of files are. Both drivers keep the same promises, which one conformance suite holds them to: an object
 * is there whole or not at all, an address for an upload works once, a store that is away is a 503.
 */
export interface Storage {
  readonly driver: 'folder' | 's3'
  /** An address to which the bytes of an object can be sent, once, by anybody who has it. */
  uploadUrl(key: string, expiresAt: Date): Promise<SignedUrl>
  /** An address from which an object can be had, saved and never shown by a browser. */
  downloadUrl(key: string, download: Download): Promise<string>
  /** Undefined where there is nothing, or not all of it yet. */
  find(key: string): Promise<StoredObject | undefined>
  /** Keeps a stream as an object, in bounded memory, and tells what it was. */
  put(key: string, bytes: AsyncIterable<Uint8Array>, incoming: Incoming): Promise<Facts>
  /** Copies an object that is still the one with this tag; false where it is another one by now, or gone. */
  copy(from: string, to: string, etag: string, signal: AbortSignal): Promise<boolean>
  /** Reads an object once from end to end. */
  inspect(key: string, signal: AbortSignal): Promise<Facts>
  /** Afterwards there is no such object, whether there was one or not. */
  remove(key: string, signal?: AbortSignal): Promise<void>
  /** Drops what puts that were cut short before that time have left behind. */
  tidy(before: Date, signal?: AbortSignal): Promise<void>
}

/** 512 MiB: what one file may have, on every way in. */
export const MAX_FILE_BYTES = 512 * 1024 * 1024

const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/

/** A key is one of our own ids. Anything else would be a way out of the folder, or into somebody else's bucket. */
export function requireKey(key: string): string {
  if (!KEY.test(key)) throw new Error('not a key of an object')
  return key
}
