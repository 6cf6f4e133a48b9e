import { constants, existsSync } from 'node:fs'
import { access, link, mkdir, open, readdir, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type Grant, UrlSigner } from '../../../../kit/secrets/url-signer.ts'
import { storageFailure } from '../failures.ts'
import {
  AlreadyStored,
  type Download,
  type ObjectInfo,
  type PutOptions,
  requireKey,
  type SignedUrl,
  type Storage,
  type StoredObject,
} from '../storage.ts'
import { readInfo, writeObject } from './object-file.ts'

interface FolderOptions {
  /** Created with the first object. */
  root: string
  /** The base of the URLs below `/files`. */
  publicUrl: string
  encryptionKeys: string
  clock: () => number
}

/**
 * Objects in a folder, for a laptop or a single server. A put writes and syncs a temporary file in `incoming`, then
 * links it to its name in `objects`: an object exists completely or not at all, and the second put of a key fails.
 */
export class FolderStorage implements Storage {
  readonly driver = 'folder'
  readonly #options: FolderOptions
  readonly #signer: UrlSigner

  constructor(options: FolderOptions) {
    this.#options = options
    this.#signer = new UrlSigner(options.encryptionKeys)
  }

  async check(): Promise<void> {
    await mkdir(this.#options.root, { recursive: true }).catch((error: unknown) => {
      throw storageFailure(error)
    })
    await access(this.#options.root, constants.W_OK).catch((error: unknown) => {
      throw storageFailure(error)
    })
  }

  async uploadUrl(key: string, expiresAt: Date): Promise<SignedUrl> {
    return {
      url: this.#urlOf('uploads', { method: 'PUT', key, expires: secondsOf(expiresAt) }),
      headers: {},
      expiresAt,
    }
  }

  async downloadUrl(key: string, { name, contentType, expiresAt }: Download): Promise<string> {
    return this.#urlOf('objects', { method: 'GET', key, expires: secondsOf(expiresAt), name, type: contentType })
  }

  /** Whether a URL with this signature grants the request now. */
  allows(grant: Grant, signature: string): boolean {
    return grant.expires * 1000 > this.#options.clock() && this.#signer.verify(grant, signature)
  }

  async find(key: string): Promise<StoredObject | undefined> {
    const info = await this.infoOf(key)
    if (!info) return undefined
    // The put that linked the object may have been killed before it synced the folder.
    await this.#syncObjects()
    return { sizeBytes: info.sizeBytes, etag: info.sha256, info }
  }

  async infoOf(key: string): Promise<ObjectInfo | undefined> {
    const file = await open(this.#pathOf(key)).catch(unlessMissing)
    if (!file) return undefined
    try {
      return await readInfo(file)
    } catch (error) {
      throw storageFailure(error)
    } finally {
      await file.close()
    }
  }

  exists(key: string): boolean {
    return existsSync(this.#pathOf(key))
  }

  async put(key: string, bytes: AsyncIterable<Uint8Array>, options: PutOptions): Promise<ObjectInfo> {
    const path = this.#pathOf(key)
    const temporary = join(this.#options.root, 'incoming', `${key}.${crypto.randomUUID()}`)
    try {
      const info = await this.#write(temporary, bytes, options)
      // Unlike a rename, a link fails if the name exists.
      await link(temporary, path)
      await this.#syncObjects()
      return info
    } catch (error) {
      throw storageFailure(asAlreadyStored(error))
    } finally {
      await unlink(temporary).catch(unlessMissing)
    }
  }

  async copy(from: string, to: string, etag: string): Promise<boolean> {
    const info = await this.infoOf(from)
    if (info?.sha256 !== etag) return false
    try {
      await link(this.#pathOf(from), this.#pathOf(to))
    } catch (error) {
      throw storageFailure(asAlreadyStored(error))
    }
    await this.#syncObjects()
    return true
  }

  async *read(key: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { sizeBytes } = await this.inspect(key)
    for await (const chunk of this.content(key, sizeBytes).stream()) {
      signal.throwIfAborted()
      yield chunk
    }
  }

  async inspect(key: string): Promise<ObjectInfo> {
    const info = await this.infoOf(key)
    if (!info) throw new Error('there is no such object')
    return info
  }

  async remove(key: string): Promise<void> {
    await unlink(this.#pathOf(key)).catch(unlessMissing)
  }

  async removeIncomplete(before: Date): Promise<void> {
    const incoming = join(this.#options.root, 'incoming')
    for (const name of await readdir(incoming).catch(() => [])) {
      const found = await stat(join(incoming, name)).catch(() => undefined)
      if (found && found.mtimeMs < before.getTime()) await rm(join(incoming, name), { force: true })
    }
  }

  /** The bytes of an object, read lazily while they are sent. */
  content(key: string, sizeBytes: number): Blob {
    return Bun.file(this.#pathOf(key)).slice(0, sizeBytes)
  }

  async #write(path: string, bytes: AsyncIterable<Uint8Array>, options: PutOptions): Promise<ObjectInfo> {
    const file = await this.#create(path)
    try {
      return await writeObject(file, bytes, options)
    } finally {
      await file.close()
    }
  }

  /** Creates a file, and with the first one its folders. */
  #create(path: string) {
    return open(path, 'wx', 0o600).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      for (const folder of ['incoming', 'objects']) {
        await mkdir(join(this.#options.root, folder), { recursive: true, mode: 0o700 })
      }
      return open(path, 'wx', 0o600)
    })
  }

  #urlOf(collection: 'uploads' | 'objects', grant: Grant): string {
    const url = new URL(`/files/${collection}/${requireKey(grant.key)}`, this.#options.publicUrl)
    for (const name of ['expires', 'name', 'type'] as const) {
      if (grant[name] !== undefined) url.searchParams.set(name, String(grant[name]))
    }
    url.searchParams.set('signature', this.#signer.sign(grant))
    return url.href
  }

  readonly #pathOf = (key: string) => join(this.#options.root, 'objects', requireKey(key))

  /** Makes the names of linked objects durable. */
  async #syncObjects(): Promise<void> {
    try {
      const objects = await open(join(this.#options.root, 'objects'))
      await objects.sync().finally(() => objects.close())
    } catch (error) {
      throw storageFailure(error)
    }
  }
}

const secondsOf = (time: Date) => Math.floor(time.getTime() / 1000)

function asAlreadyStored(error: unknown): unknown {
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  return code === 'EEXIST' ? new AlreadyStored() : error
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw storageFailure(error)
}
