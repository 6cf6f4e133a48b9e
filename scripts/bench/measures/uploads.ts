import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Upload } from '../../../proto/http/sourcing/uploads.ts'
import { connect } from '../../../services/kit/db/client.ts'
import { BUN } from '../../toolchain/checkout.ts'
import type { Bench } from '../bench.ts'
import { type Figure, ratioFigure } from '../figures.ts'
import { inRounds, type Run } from '../rounds.ts'
import { signIn } from '../stage/people.ts'
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
        // Thousands that nobody attaches: production keeps an organization from having as many, for they are counted.
        .finally(() => forgetUploads(bench))
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

/** So many addresses for uploads, as a client gets them. */
async function addresses({ services, account }: Bench, count: number): Promise<string[]> {
  const { accessToken } = await signIn(services.identity.url, account)
  const { url } = services.sourcing
  const made: string[] = []
  const create = async () => {
    const answer = await fetch(`${url}/v1/uploads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'impeller.stl', public: false }),
    })
    if (!answer.ok) throw new Error(`an address could not be made: ${await answer.text()}`)
    const { uploadUrl } = (await answer.json()) as Upload
    made.push(url + uploadUrl.slice(new URL(uploadUrl).origin.length))
  }
  while (made.length < count) await Promise.all(Array.from({ length: 16 }, create))
  return made
}

async function forgetUploads({ database }: Bench): Promise<void> {
  const owner = connect(database.ownerUrl, { max: 1, applicationName: 'bench-uploads' })
  await owner`truncate sourcing.uploads`.finally(() => owner.end())
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
