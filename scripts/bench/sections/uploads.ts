import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiClient } from '../../../services/testing/client.ts'
import { BUN } from '../../toolchain/checkout.ts'
import { compareRates, inRounds, type Run } from '../compare.ts'
import type { Section } from '../context.ts'
import { signIn } from '../stage/accounts.ts'
import { startServer } from '../stage/services.ts'
import { withSetting } from '../statements.ts'

/** A drawing or a small model, and a piece of a large model. */
const SIZES_MIB = [1, 16]
const MIB = 1024 * 1024
const CLIENTS = 4
/** Each address takes one upload, so they are requested before a round. A round that uses all of them ends early. */
const MAX_PER_SECOND = 250
const MIB_PER_SECOND = 800
const ADDRESSES_AT_ONCE = 16
/** The just-in-time compiler improves the code during the first thousand files. */
const WARM_UP = { rounds: 5, seconds: 2 }
/** The speed of a shared disk varies by a factor of two, so the median needs more rounds. */
const MIN_ROUNDS = 7

/** Uploads through the folder driver, against a bare server that hashes and writes the same bytes. */
export const measureUploads: Section = async function* (context) {
  const { database, onStop, pace } = context
  const sinkFolder = join(database.folder, 'sink')
  await mkdir(sinkFolder, { recursive: true })
  const sink = await startServer(onStop, {
    name: 'sink',
    command: [BUN, join(import.meta.dir, '..', 'references', 'sink.ts')],
    env: { FOLDER: sinkFolder },
    logFile: join(database.folder, 'sink.log'),
    readyUrl: '/',
  })
  const client = await signIn(context, 'sourcing')
  for (const mib of SIZES_MIB) {
    const bytes = randomBytes(mib * MIB)
    const count = (seconds: number) => Math.ceil(seconds * Math.min(MAX_PER_SECOND, MIB_PER_SECOND / mib))
    const ours: Run = async (seconds) => {
      // The requests would wait for the disk otherwise, some hundred times a second.
      const urls = await withSetting(database, ['synchronous_commit', 'off'], () => addresses(count(seconds), client))
      return send(urls, bytes, seconds, join(database.folder, 'files'))
    }
    const bare: Run = (seconds) => send(Array(count(seconds)).fill(sink.url), bytes, seconds, sinkFolder)
    if (mib === SIZES_MIB[0]) await inRounds([ours, bare], WARM_UP)
    const variant = `${CLIENTS} connections`
    yield* compareRates({
      what: `PUT of ${mib} MiB`,
      ours: { [variant]: ours },
      references: [{ name: 'bare Bun with SHA-256, write, fdatasync', side: { [variant]: bare }, atLeast: 0.5 }],
      pace: { ...pace, rounds: Math.max(MIN_ROUNDS, pace.rounds) },
    })
  }
}

function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  const block = crypto.getRandomValues(new Uint8Array(65_536))
  for (let at = 0; at < length; at += block.byteLength) bytes.set(block, at)
  return bytes
}

/** Upload addresses; they name the public URL of the platform, where no server listens. */
async function addresses(count: number, client: ApiClient): Promise<string[]> {
  const urls: string[] = []
  const request = async () => {
    while (urls.length < count) {
      const { status, body, text } = await client.post<{ uploadUrl: string }>('/v1/uploads', { name: 'impeller.stl' })
      if (status !== 200) throw new Error(`POST /v1/uploads: ${status} ${text}`)
      const { pathname, search } = new URL(body.uploadUrl)
      urls.push(`${client.url}${pathname}${search}`)
    }
  }
  await Promise.all(Array.from({ length: ADDRESSES_AT_ONCE }, request))
  return urls
}

/** Sends the same bytes to one address after another and returns the uploads in a second; the files are deleted. */
async function send(urls: string[], bytes: Uint8Array<ArrayBuffer>, seconds: number, folder: string): Promise<number> {
  // Earlier writes of other sides must not be part of the measurement.
  await Bun.$`sync`
  const began = performance.now()
  const end = began + seconds * 1000
  let done = 0
  const client = async () => {
    for (let url = urls.pop(); url !== undefined && performance.now() < end; url = urls.pop()) {
      const answer = await fetch(url, { method: 'PUT', body: bytes })
      if (!answer.ok) throw new Error(`PUT: ${answer.status} ${await answer.text()}`)
      await answer.arrayBuffer()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  const rate = done / ((performance.now() - began) / 1000)
  for await (const path of new Bun.Glob('**/*').scan({ cwd: folder, onlyFiles: true, dot: true })) {
    await rm(join(folder, path), { force: true })
  }
  return rate
}
