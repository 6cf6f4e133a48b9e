import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, type Pool } from '../../../services/kit/db/client.ts'
import { newId } from '../../../services/kit/db/ids.ts'
import { FolderStorage } from '../../../services/sourcing/storage/folder/store.ts'
import { BUN } from '../../toolchain/checkout.ts'
import type { Bench } from '../bench.ts'
import { type Figure, ratioFigure } from '../figures.ts'
import { inRounds, type Run } from '../rounds.ts'
import type { Database } from '../stage/database.ts'
import { serverPort } from '../stage/ports.ts'
import { startProgram } from '../stage/programs.ts'

/** A drawing or a small model, and what a large one is made of. */
const SIZES_MIB = [1, 16]
const MIB = 1024 * 1024
const CLIENTS = 4
/** More than any disk takes in a second: addresses are made before the clock runs, for each works once. */
const MIB_PER_SECOND = 800
/** Code is compiled again and again, ever better, until some thousand files have come: a server that runs is past that. */
const WARM_UP = { rounds: 5, seconds: 2 }
/** A disk that others share is at times half as quick as at others: the median of a few rounds would tell of that alone. */
const MIN_ROUNDS = 9

/** Bytes that come in through the folder driver, against a bare server that hashes them and writes them down. */
export async function measureUploads(bench: Bench): Promise<Figure[]> {
  const { database, pace, progress } = bench
  const folder = join(database.folder, 'sink')
  const port = await startSink(bench, folder)
  const files = join(database.folder, 'files', 'objects')
  const figures: Figure[] = []
  for (const mib of SIZES_MIB) {
    progress(`Uploads of ${mib} MiB, ${CLIENTS} at once`)
    const body = crypto.getRandomValues(new Uint8Array(65_536))
    const bytes = new Uint8Array(mib * MIB)
    for (let at = 0; at < bytes.byteLength; at += body.byteLength) bytes.set(body, at)
    const ours: Run = async (seconds) =>
      sent(await addresses(bench, Math.ceil((MIB_PER_SECOND * seconds) / mib)), bytes, seconds, files)
    const sink: Run = (seconds) => {
      const url = `http://127.0.0.1:${port}/`
      return sent(Array(Math.ceil((MIB_PER_SECOND * seconds) / mib)).fill(url), bytes, seconds, folder)
    }
    if (mib === SIZES_MIB[0]) await inRounds({ ours, sink }, WARM_UP)
    const rates = await inRounds({ ours, sink }, { ...pace, rounds: Math.max(MIN_ROUNDS, pace.rounds) })
    figures.push(
      ratioFigure({
        what: `PUT of ${mib} MiB ÷ bare Bun that hashes and writes`,
        ours: rates.ours,
        reference: rates.sink,
        against: `SHA-256, write, fdatasync; ${CLIENTS} connections`,
        atLeast: 0.8,
      }),
    )
  }
  await forgetUploads(bench)
  return figures
}

async function startSink({ onStop, database }: Bench, folder: string): Promise<number> {
  const port = serverPort()
  const { stop } = await startProgram({
    command: [BUN, join(import.meta.dir, '..', 'references', 'sink.ts')],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      FOLDER: folder,
      // As our services have.
      UV_THREADPOOL_SIZE: '8',
    },
    logFile: join(database.folder, 'sink.log'),
    readyUrl: `http://127.0.0.1:${port}/`,
  })
  onStop(stop)
  return port
}

/**
 * So many addresses for uploads, as the service signs them, with the rows that it looks them up in. Asked for one by one
 * they would be thousands of commits just before the clock starts, and what these leave behind would be measured too.
 */
async function addresses({ database, services }: Bench, count: number): Promise<string[]> {
  const { encryptionKeys } = database.secrets
  const { url: publicUrl } = services.sourcing
  const storage = new FolderStorage({ root: database.folder, publicUrl, encryptionKeys, clock: Date.now })
  const expiresAt = new Date(Date.now() + 60 * 60 * 1000)
  const ids = Array.from({ length: count }, () => newId('upload'))
  await asOwner(
    database,
    (owner) => owner`
      insert into sourcing.uploads (id, org_id, user_id, name, public, created_at, expires_at)
      select id, 'org_bench', 'user_bench', 'impeller.stl', false, now(), ${expiresAt.toISOString()}
      from unnest(${ids}::text[]) id`,
  )
  return Promise.all(ids.map(async (id) => (await storage.uploadUrl(id, expiresAt)).url))
}

const forgetUploads = ({ database }: Bench) =>
  asOwner(database, (owner) => owner`delete from sourcing.uploads where org_id = 'org_bench'`)

async function asOwner({ ownerUrl }: Database, work: (owner: Pool) => PromiseLike<unknown>): Promise<void> {
  const owner = connect(ownerUrl, { max: 1, applicationName: 'bench-uploads' })
  try {
    await work(owner)
  } finally {
    await owner.end()
  }
}

/** Sends the same bytes to one address after another until the time is over; what came is deleted. */
async function sent(urls: string[], bytes: Uint8Array<ArrayBuffer>, seconds: number, folder: string): Promise<number> {
  // What anybody wrote or deleted before is on the disk, and not to be waited for by whose turn it is.
  await Bun.$`sync`
  const began = performance.now()
  const end = began + seconds * 1000
  let done = 0
  const client = async () => {
    while (performance.now() < end) {
      const url = urls.pop()
      if (url === undefined) throw new Error('the addresses did not last')
      const answer = await fetch(url, { method: 'PUT', body: bytes })
      if (!answer.ok) throw new Error(`an upload was refused: ${answer.status} ${await answer.text()}`)
      await answer.arrayBuffer()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  const rate = done / ((performance.now() - began) / 1000)
  await emptied(folder)
  return rate
}

async function emptied(folder: string): Promise<void> {
  for await (const name of new Bun.Glob('*').scan({ cwd: folder, onlyFiles: false, dot: true })) {
    await rm(join(folder, name), { recursive: true, force: true })
  }
}
