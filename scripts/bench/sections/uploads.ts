import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiClient } from '../../../services/testing/client.ts'
import { asOwner } from '../../../services/testing/load/owner.ts'
import { BUN } from '../../toolchain/checkout.ts'
import { startProgram } from '../../toolchain/programs.ts'
import type { Context } from '../context.ts'
import { type Figure, ratioFigure } from '../figures.ts'
import { inRounds, type Run } from '../rounds.ts'
import { signIn } from '../stage/accounts.ts'
import { serverPort } from '../stage/services.ts'
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
export async function measureUploads(context: Context): Promise<Figure[]> {
  const { database, services, account, pace, progress } = context
  const folder = join(database.folder, 'sink')
  const port = await startSink(context, folder)
  const client = await signIn(services.identity.url, account, services.sourcing.url)
  const figures: Figure[] = []
  for (const mib of SIZES_MIB) {
    progress(`Uploads of ${mib} MiB, ${CLIENTS} at once`)
    const bytes = new Uint8Array(mib * MIB)
    const block = crypto.getRandomValues(new Uint8Array(65_536))
    for (let at = 0; at < bytes.byteLength; at += block.byteLength) bytes.set(block, at)
    const count = (seconds: number) => Math.ceil(seconds * Math.min(MAX_PER_SECOND, MIB_PER_SECOND / mib))
    const urls: string[] = []
    const files = join(database.folder, 'files')
    const ours: Run = async (seconds) => {
      // The requests would wait for the disk otherwise, some hundred times a second.
      await withSetting(database, ['synchronous_commit', 'off'], () => refill(urls, count(seconds), client))
      return send(urls, bytes, seconds, files)
    }
    const sink: Run = (seconds) => send(Array(count(seconds)).fill(`http://127.0.0.1:${port}/`), bytes, seconds, folder)
    if (mib === SIZES_MIB[0]) await inRounds({ ours, sink }, WARM_UP)
    const rates = await inRounds({ ours, sink }, { ...pace, rounds: Math.max(MIN_ROUNDS, pace.rounds) })
    figures.push(
      ratioFigure({
        what: `PUT of ${mib} MiB ÷ bare Bun that hashes and writes`,
        ours: rates.ours,
        reference: rates.sink,
        against: `SHA-256, write, fdatasync; ${CLIENTS} connections`,
        atLeast: 0.5,
      }),
    )
  }
  await asOwner(database.ownerUrl, (owner) => owner`delete from sourcing.uploads where name = ${NAME}`)
  return figures
}

async function startSink({ onStop, database }: Context, folder: string): Promise<number> {
  const port = serverPort()
  await mkdir(folder, { recursive: true })
  const { stop } = await startProgram({
    name: 'sink',
    command: [BUN, join(import.meta.dir, '..', 'references', 'sink.ts')],
    // The number of threads is that of the services.
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      FOLDER: folder,
      UV_THREADPOOL_SIZE: '8',
    },
    logFile: join(database.folder, 'sink.log'),
    readyUrl: `http://127.0.0.1:${port}/`,
  })
  onStop(stop)
  return port
}

const NAME = 'bench-impeller.stl'

/** Requests addresses until there are enough; they name the public URL of the platform, where no server listens. */
async function refill(urls: string[], count: number, client: ApiClient): Promise<void> {
  const request = async () => {
    while (urls.length < count) {
      const { status, body, text } = await client.post<{ uploadUrl: string }>('/v1/uploads', { name: NAME })
      if (status !== 200) throw new Error(`POST /v1/uploads: ${status} ${text}`)
      const { pathname, search } = new URL(body.uploadUrl)
      urls.push(`${client.url}${pathname}${search}`)
    }
  }
  await Promise.all(Array.from({ length: ADDRESSES_AT_ONCE }, request))
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
