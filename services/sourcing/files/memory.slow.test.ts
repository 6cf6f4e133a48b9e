import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { File } from '../../../proto/http/sourcing/files.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { type SourcingProcess, sha256Of, startSourcing, streamOf } from '../../testing/files/process.ts'
import { testMarketplace } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'

setDefaultTimeout(180_000)
const MIB = 1024 * 1024
const WARM_UP_BYTES = 32 * MIB
/** How much more than the small file of the warm-up a file of 512 MiB may need: garbage between two collections. */
const MAX_GROWTH_BYTES = 16 * MIB

const market = await testMarketplace()
const owner = await market.organization(['IP_OWNER'])
await market.stop()
const sourcing = await startSourcing(market)
const own = new FileClient(market, sourcing.clientOf(owner.administrator.client), sourcing.url)
const source = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: ({ url }) => new Response(streamOf(Number(new URL(url).pathname.slice(1)))),
})
afterAll(async () => {
  await sourcing.kill()
  await source.stop(true)
})

/** The resident memory at its peak during the work. */
async function peakDuring<T>(process: SourcingProcess, work: () => Promise<T>): Promise<{ result: T; bytes: number }> {
  let bytes = await process.residentBytes()
  let isDone = false
  const watching = (async () => {
    while (!isDone) {
      bytes = Math.max(bytes, await process.residentBytes())
      await Bun.sleep(20)
    }
  })()
  const result = await work().finally(() => {
    isDone = true
  })
  await watching
  return { result, bytes }
}

const part = await own.createPart()
const isReady = (file: File | undefined): file is File => file?.state === 'READY'

async function imported(bytes: number): Promise<File> {
  const into = await own.createPart()
  const sasUrl = `http://127.0.0.1:${source.port}/${bytes}`
  await own.client.post(`/v1/parts/${into}/import-file`, { name: 'a', group: 'document', sasUrl })
  return until(async () => (await own.listFiles(into)).find(isReady), { withinMs: 120_000, what: 'the import' })
}

/** 512 MiB. */
const MAX_FILE_BYTES = 536_870_912

// Warm-up: compiled code and socket buffers are allocated once.
const { bytes: warmUpBytes } = await peakDuring(sourcing, async () => {
  await imported(WARM_UP_BYTES)
  await own.putStream(await own.createUpload(), streamOf(WARM_UP_BYTES))
})
const maxBytes = warmUpBytes + MAX_GROWTH_BYTES

test('an upload of 512 MiB uses bounded memory, and one byte more is 413', async () => {
  const upload = await own.createUpload()
  const { result, bytes } = await peakDuring(sourcing, () => own.putStream(upload, streamOf(MAX_FILE_BYTES)))
  expect(result.status).toBe(204)
  expect(bytes).toBeLessThan(maxBytes)
  await own.changeFiles(part, { add: [{ uploadId: upload.id, group: 'document' }] })
  const [file] = await own.listFiles(part)
  expect(file).toMatchObject({ size: MAX_FILE_BYTES, sha256: sha256Of(MAX_FILE_BYTES) })

  const larger = await own.createUpload()
  const refused = await own.putStream(larger, streamOf(MAX_FILE_BYTES + 1)).catch((error: Error) => error)
  // The client may see the connection end, because the response comes while it still sends.
  if (refused instanceof Response) expect(refused.status).toBe(413)
  const { status } = await own.changeFiles(part, { add: [{ uploadId: larger.id, group: 'document' }] })
  expect(status).toBe(409)
})

test('a download of 512 MiB uses bounded memory', async () => {
  const [file] = await own.listFiles(part)
  const { result, bytes } = await peakDuring(sourcing, async () => {
    const hash = new Bun.CryptoHasher('sha256')
    const { body } = await own.download(file as File)
    if (body) for await (const chunk of body) hash.update(chunk)
    return hash.digest('hex')
  })
  expect(result).toBe(file?.sha256 ?? '')
  expect(bytes).toBeLessThan(maxBytes)
})

test('an import of 512 MiB uses bounded memory', async () => {
  const { result, bytes } = await peakDuring(sourcing, () => imported(MAX_FILE_BYTES))
  expect(result.sha256).toBe(sha256Of(MAX_FILE_BYTES))
  expect(bytes).toBeLessThan(maxBytes)
})
