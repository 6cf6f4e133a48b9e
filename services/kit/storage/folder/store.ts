import { existsSync } from 'node:fs'
import { link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
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

export interface FolderOptions {
  /** Everything is kept below it; made when it is first needed. */
  root: string
  /** Where clients reach `/files`. */
  publicUrl: string
  encryptionKeys: string
  clock: () => number
}

const [CONTENT, FACTS] = ['content', 'facts.json'] as const

/**
 * Objects in a folder, for a laptop or a single server. An object is a folder of its own, made elsewhere and moved into
 * place when everything in it is on the disk: it is there whole or not at all, and the second to move one finds it taken.
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
    const facts = await this.#factsOf(key)
    if (!facts) return undefined
    // Removed in between, it is as if it had been removed before.
    const settled = await this.#settle(key).then(() => true, unlessMissing)
    if (!settled) return undefined
    return { sizeBytes: facts.sizeBytes, etag: facts.sha256, facts }
  }

  /** Whether the place is taken. */
  has(key: string): boolean {
    return existsSync(this.#folderOf(key))
  }

  async put(key: string, bytes: AsyncIterable<Uint8Array>, incoming: Incoming): Promise<Facts> {
    const facts = await this.receive(key, bytes, incoming)
    await this.#settle(key)
    return facts
  }

  /**
   * As put, for bytes that nobody relies on before he has found them: they are on the disk, and their name is there
   * unless the power fails. Each name that is written down at once costs as much as a megabyte.
   */
  async receive(key: string, bytes: AsyncIterable<Uint8Array>, incoming: Incoming): Promise<Facts> {
    let facts: Facts | undefined
    await this.#build(key, async (folder) => {
      facts = await spool(join(folder, CONTENT), bytes, incoming)
      await writeFile(join(folder, FACTS), JSON.stringify(facts), { mode: 0o600 })
    })
    return facts as Facts
  }

  async copy(from: string, to: string, etag: string): Promise<boolean> {
    const facts = await this.#factsOf(from)
    if (facts?.sha256 !== etag) return false
    await this.#build(to, async (folder) => {
      for (const name of [CONTENT, FACTS]) await link(join(this.#folderOf(from), name), join(folder, name))
    })
    await this.#settle(to)
    return true
  }

  async inspect(key: string): Promise<Facts> {
    const facts = await this.#factsOf(key)
    if (!facts) throw new Error('there is no such object')
    return facts
  }

  async remove(key: string): Promise<void> {
    const dying = this.#elsewhere(key)
    // Moved away first: an object that is half deleted would be half an object.
    await rename(this.#folderOf(key), dying).catch(unlessMissing)
    await rm(dying, { recursive: true, force: true })
  }

  async tidy(before: Date): Promise<void> {
    const incoming = join(this.#options.root, 'incoming')
    for (const name of await readdir(incoming).catch(() => [])) {
      const found = await stat(join(incoming, name)).catch(() => undefined)
      if (found && found.mtimeMs < before.getTime()) await rm(join(incoming, name), { recursive: true, force: true })
    }
  }

  /** The bytes of an object, read only when they are sent. */
  content(key: string): Blob {
    return Bun.file(join(this.#folderOf(key), CONTENT))
  }

  #addressOf(place: 'uploads' | 'objects', grant: Grant): string {
    const url = new URL(`/files/${place}/${requireKey(grant.key)}`, this.#options.publicUrl)
    for (const name of ['expires', 'name', 'type'] as const) {
      if (grant[name] !== undefined) url.searchParams.set(name, String(grant[name]))
    }
    url.searchParams.set('signature', this.#signer.sign(grant))
    return url.href
  }

  readonly #folderOf = (key: string) => join(this.#options.root, 'objects', requireKey(key))

  async #factsOf(key: string): Promise<Facts | undefined> {
    const text = await readFile(join(this.#folderOf(key), FACTS), 'utf8').catch(unlessMissing)
    // Empty after a power cut that came before anybody had found the object.
    return text === undefined || text === '' ? undefined : (JSON.parse(text) as Facts)
  }

  /** A folder on the same disk that nobody else has. */
  #elsewhere(key: string): string {
    return join(this.#options.root, 'incoming', `${requireKey(key)}.${crypto.randomUUID()}`)
  }

  async #settle(key: string): Promise<void> {
    const folder = this.#folderOf(key)
    for (const path of [join(folder, FACTS), folder, join(this.#options.root, 'objects')]) await toDisk(path)
  }

  async #build(key: string, fill: (folder: string) => Promise<void>): Promise<void> {
    const objects = join(this.#options.root, 'objects')
    try {
      const folder = this.#elsewhere(key)
      // Also makes `incoming`, where it is not there yet.
      await mkdir(folder, { recursive: true, mode: 0o700 })
      try {
        await fill(folder)
        await rename(folder, this.#folderOf(key)).catch(async (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error
          await mkdir(objects, { recursive: true, mode: 0o700 })
          await rename(folder, this.#folderOf(key))
        })
      } catch (error) {
        await rm(folder, { recursive: true, force: true })
        throw asAlreadyStored(error)
      }
    } catch (error) {
      throw storageFailure(error)
    }
  }
}

const secondsOf = (time: Date) => Math.floor(time.getTime() / 1000)

function asAlreadyStored(error: unknown): unknown {
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  return code === 'ENOTEMPTY' || code === 'EEXIST' ? new AlreadyStored() : error
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw storageFailure(error)
}

/** A file, or the names in a folder: what was moved into one is there after a power cut only when these are too. */
async function toDisk(path: string): Promise<void> {
  const opened = await open(path, 'r')
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}
