import { existsSync } from 'node:fs'
import { link, mkdir, open, readdir, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { storageFailure } from '../failures.ts'
import {
  AlreadyStored,
  type Download,
  type Facts,
  type Incoming,
  requireKey,
  type SignedUrl,
  type Storage,
  type StoredObject,
} from '../storage.ts'
import { AddressSigner, type Grant } from './addresses.ts'
import { spool } from './spool.ts'
import { factsIn } from './trailer.ts'
import { isWhole, takeWhole, writeDurably } from './whole.ts'

export interface FolderOptions {
  /** Everything is kept below it; made when it is first needed. */
  root: string
  /** Where clients reach `/files`. */
  publicUrl: string
  encryptionKeys: string
  clock: () => number
}

/**
 * Objects in a folder, for a laptop or a single server. An object is one file, written elsewhere and given its name when
 * all of it is on the disk: it is there whole or not at all, and the second to want the name finds it taken.
 */
export class FolderStorage implements Storage {
  readonly driver = 'folder'
  readonly #options: FolderOptions
  readonly #signer: AddressSigner

  constructor(options: FolderOptions) {
    this.#options = options
    this.#signer = new AddressSigner(options.encryptionKeys)
  }

  async uploadUrl(key: string, expiresAt: Date): Promise<SignedUrl> {
    return { url: this.#addressOf('uploads', { method: 'PUT', key, expires: secondsOf(expiresAt) }), headers: {} }
  }

  async downloadUrl(key: string, { name, contentType, expiresAt }: Download): Promise<string> {
    return this.#addressOf('objects', { method: 'GET', key, expires: secondsOf(expiresAt), name, type: contentType })
  }

  /** Whether somebody may do that with this address now. */
  allows(grant: Grant, signature: string): boolean {
    return grant.expires * 1000 > this.#options.clock() && this.#signer.isSigned(grant, signature)
  }

  /** What is found is still there after a power cut: somebody is about to rely on it. */
  async find(key: string): Promise<StoredObject | undefined> {
    const facts = await this.look(key)
    if (!facts) return undefined
    await this.#settle()
    return { sizeBytes: facts.sizeBytes, etag: facts.sha256, facts }
  }

  /** As find, for somebody who only reads it. */
  async look(key: string): Promise<Facts | undefined> {
    const file = await open(this.#pathOf(key)).catch(unlessMissing)
    if (!file) return undefined
    try {
      return await factsIn(file)
    } catch (error) {
      throw storageFailure(error)
    } finally {
      await file.close()
    }
  }

  /** Whether the place is taken. */
  has(key: string): boolean {
    return existsSync(this.#pathOf(key))
  }

  async put(key: string, bytes: AsyncIterable<Uint8Array>, incoming: Incoming): Promise<Facts> {
    const facts = await this.receive(key, bytes, incoming)
    await this.#settle()
    return facts
  }

  /**
   * As put, for bytes that nobody relies on before he has found them: they are on the disk, and their name is there
   * unless the power fails. Each name that is written down at once costs as much as a megabyte.
   */
  async receive(key: string, bytes: AsyncIterable<Uint8Array>, incoming: Incoming): Promise<Facts> {
    const path = this.#pathOf(key)
    const written = join(this.#options.root, 'incoming', `${key}.${crypto.randomUUID()}`)
    try {
      try {
        const facts = await this.#write(written, bytes, incoming)
        // Of two at once the second finds the name taken; a rename would let him have it.
        await this.#inFolders(() => link(written, path))
        return facts
      } finally {
        await unlink(written).catch(unlessMissing)
      }
    } catch (error) {
      throw storageFailure(asAlreadyStored(error))
    }
  }

  /** A new file with all of the bytes, on the disk. */
  async #write(path: string, bytes: AsyncIterable<Uint8Array>, incoming: Incoming): Promise<Facts> {
    const { expectedBytes } = incoming
    if (isWhole(expectedBytes)) {
      return takeWhole(bytes, { ...incoming, expectedBytes }, (contents) =>
        this.#inFolders(() => writeDurably(path, contents)),
      )
    }
    const file = await this.#inFolders(() => open(path, 'wx', 0o600))
    try {
      return await spool({ file, path }, bytes, incoming)
    } finally {
      await file.close()
    }
  }

  async copy(from: string, to: string, etag: string): Promise<boolean> {
    const facts = await this.look(from)
    if (facts?.sha256 !== etag) return false
    try {
      await link(this.#pathOf(from), this.#pathOf(to))
    } catch (error) {
      throw storageFailure(asAlreadyStored(error))
    }
    await this.#settle()
    return true
  }

  async inspect(key: string): Promise<Facts> {
    const facts = await this.look(key)
    if (!facts) throw new Error('there is no such object')
    return facts
  }

  async remove(key: string): Promise<void> {
    await unlink(this.#pathOf(key)).catch(unlessMissing)
  }

  async tidy(before: Date): Promise<void> {
    const incoming = join(this.#options.root, 'incoming')
    for (const name of await readdir(incoming).catch(() => [])) {
      const found = await stat(join(incoming, name)).catch(() => undefined)
      if (found && found.mtimeMs < before.getTime()) await rm(join(incoming, name), { force: true })
    }
  }

  /** The bytes of an object, read only when they are sent. */
  content(key: string, sizeBytes: number): Blob {
    return Bun.file(this.#pathOf(key)).slice(0, sizeBytes)
  }

  #addressOf(place: 'uploads' | 'objects', grant: Grant): string {
    const url = new URL(`/files/${place}/${requireKey(grant.key)}`, this.#options.publicUrl)
    for (const name of ['expires', 'name', 'type'] as const) {
      if (grant[name] !== undefined) url.searchParams.set(name, String(grant[name]))
    }
    url.searchParams.set('signature', this.#signer.sign(grant))
    return url.href
  }

  readonly #pathOf = (key: string) => join(this.#options.root, 'objects', requireKey(key))

  /** The names of objects are on the disk, as their bytes are before they have one. */
  async #settle(): Promise<void> {
    try {
      const objects = await open(join(this.#options.root, 'objects'))
      await objects.sync().finally(() => objects.close())
    } catch (error) {
      throw storageFailure(error)
    }
  }

  /** What finds no folder makes both and tries again: once in the life of a store. */
  async #inFolders<T>(work: () => Promise<T>): Promise<T> {
    return work().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      for (const name of ['incoming', 'objects']) {
        await mkdir(join(this.#options.root, name), { recursive: true, mode: 0o700 })
      }
      return work()
    })
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
