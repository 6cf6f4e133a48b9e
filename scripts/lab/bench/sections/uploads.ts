import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ApiClient, succeeded } from '../../../../services/testing/client.ts'
import { BUN } from '../../../toolchain/checkout.ts'
import { compareRates, inRounds, type Run } from '../compare.ts'
import type { Section } from '../context.ts'
import { signIn, startServer } from '../services.ts'

/** A drawing or a small model, and a piece of a large model. */
const SIZES = [
  { mib: 1, perSecond: 100 },
  { mib: 16, perSecond: 16 },
]
const CLIENTS = 4
/** The just-in-time compiler improves the code during the first thousand files. */
const WARM_UP = { rounds: 5, seconds: 2 }
/** The speed of a shared disk varies by a factor of two, so the median needs more rounds. */
const MIN_ROUNDS = 7

/** Uploads through the folder driver, against a bare server that hashes and writes the same bytes. */
export const measureUploads: Section = async function* (context) {
  const { database, pace } = context
  const [files, sinkFolder] = [join(database.folder, 'files'), join(database.folder, 'sink')]
  await mkdir(sinkFolder, { recursive: true })
  const sink = await startServer(context, {
    name: 'sink',
    command: [BUN, join(import.meta.dir, '..', 'references', 'sink.ts')],
    env: { FOLDER: sinkFolder },
    readyUrl: '/',
  })
  const client = await signIn(context, 'sourcing')
  for (const { mib, perSecond } of SIZES) {
    const bytes = randomBytes(mib * 1024 * 1024)
    // A fixed number of files in each round, because each upload URL takes one file and is requested before.
    const ours: Run = async (seconds) => send(await uploadUrls(seconds * perSecond, client), bytes, files)
    const bare: Run = (seconds) => send(Array(seconds * perSecond).fill(sink.url), bytes, sinkFolder)
    if (mib === 1) await inRounds(WARM_UP, [ours, bare])
    const variant = `${CLIENTS} connections`
    yield* compareRates({
      what: `PUT of ${mib} MiB`,
      ours: { [variant]: ours },
      references: [{ name: 'bare Bun with SHA-256, write, fdatasync', side: { [variant]: bare }, atLeast: 0.5 }],
      pace: { ...pace, rounds: Math.max(MIN_ROUNDS, pace.rounds) },
    })
  }
}

/** Upload URLs with the address of the service in place of the public URL, where no server listens. */
const uploadUrls = (count: number, client: ApiClient): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const upload = client.post<{ uploadUrl: string }>('/v1/uploads', { name: 'impeller.stl' })
      const { pathname, search } = new URL((await succeeded(upload)).uploadUrl)
      return `${client.url}${pathname}${search}`
    }),
  )

/** Sends the same bytes to each URL and returns the uploads in a second; the files are deleted. */
async function send(urls: string[], body: Uint8Array<ArrayBuffer>, folder: string): Promise<number> {
  // Earlier writes of other sides must not be part of the measurement.
  await Bun.$`sync`
  const [count, startedMs] = [urls.length, performance.now()]
  const upload = async () => {
    for (let url = urls.pop(); url !== undefined; url = urls.pop()) {
      const answer = await fetch(url, { method: 'PUT', body })
      if (!answer.ok) throw new Error(`PUT: ${answer.status} ${await answer.text()}`)
      await answer.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, upload))
  const rate = (count / (performance.now() - startedMs)) * 1000
  for await (const path of new Bun.Glob('**/*').scan({ cwd: folder, onlyFiles: true, dot: true })) {
    await rm(join(folder, path), { force: true })
  }
  return rate
}
