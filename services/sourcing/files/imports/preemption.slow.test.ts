import { afterAll, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import type { Import } from '../../../../proto/http/sourcing/imports.ts'
import { FileClient } from '../../../testing/files/file-client.ts'
import { headOf, plainSource } from '../../../testing/files/plain-source.ts'
import { marketplaceOf } from '../../../testing/marketplace.ts'
import { until } from '../../../testing/until.ts'
import { JOB_LIMITS } from '../jobs/rules.ts'

const MAX_IMPORTS = 8
const GRACE_MS = 1_000
const OTHERS = 12
const market = await marketplaceOf(['sourcing'], {
  ALLOW_PRIVATE_ADDRESSES: 'true',
  IMPORTS_AT_ONCE: String(MAX_IMPORTS),
  IMPORT_GRACE_SECONDS: String(GRACE_MS / 1000),
})
const { owner } = market.db

/**
 * Each other organization is served at most once before the last one, and each grace period or poll has one preemption.
 */
const BOUND_MS = Math.ceil((OTHERS + 1) / MAX_IMPORTS + 1) * (GRACE_MS + JOB_LIMITS.pollMs)

const DRIP_MS = 200
let drips = 0
const dripping = new Map<Socket, Timer>()
let whole: Socket | undefined
const stop = (socket: Socket) => {
  clearInterval(dripping.get(socket))
  dripping.delete(socket)
}
const drip = (length: number) => (socket: Socket) => {
  drips += 1
  socket.write(headOf(length))
  dripping.set(
    socket,
    // One byte at intervals below the idle timeout.
    setInterval(() => (socket.readyState === 1 ? socket.write('x') : stop(socket)), DRIP_MS),
  )
}
const source = plainSource({
  '/endless': drip(1_000_000),
  '/long': (socket) => {
    whole = socket
    drip(1_000)(socket)
  },
  '/quick': (socket) => void socket.write(`${headOf(5)}whole`),
})
afterAll(() => {
  for (const socket of [...dripping.keys()]) stop(socket)
  source.close()
})

async function importing(path: string, times: number) {
  const { administrator } = await market.organization(['IP_OWNER'])
  const own = new FileClient(market, administrator.client)
  const part = await own.createPart()
  const input = { name: 'a', group: 'document', sasUrl: source.url + path }
  const begin = () => own.client.post<{ fileId: string }>(`/v1/parts/${part}/import-file`, input)
  const fileIds = (await Promise.all(Array.from({ length: times }, begin))).map(({ body }) => body.fileId)
  const progress = async () => (await own.client.get<Import>(`/flows/v1/imports/${fileIds[0]}`)).body
  const end = () => own.changeFiles(part, { remove: fileIds })
  return { own, part, fileIds, progress, end }
}

test('a slow import is not preempted while no other import waits', async () => {
  const long = await importing('/long', 1)
  const others = await Promise.all(Array.from({ length: MAX_IMPORTS - 1 }, () => importing('/endless', 1)))
  await until(() => dripping.size === MAX_IMPORTS, { withinMs: 10_000, what: 'the maximum of imports' })
  const bytesAfterGrace = (4 * (GRACE_MS + JOB_LIMITS.pollMs)) / DRIP_MS
  await until(async () => (await long.progress()).receivedBytes > bytesAfterGrace, {
    withinMs: 30_000,
    what: 'the drips',
  })
  whole?.write('x'.repeat(1_000))
  await until(async () => (await long.progress()).state !== 'PENDING', { withinMs: 10_000, what: 'the end' })
  expect(await long.progress()).toMatchObject({ state: 'READY', receivedBytes: 1_000 })
  expect(drips).toBe(MAX_IMPORTS)
  for (const { end } of others) await end()
  await until(() => dripping.size <= 1, { withinMs: 10_000, what: 'the end of the others' })
}, 60_000)

test('while endless imports of many organizations run at the maximum, another import is READY in time', async () => {
  const others = await Promise.all(Array.from({ length: OTHERS }, () => importing('/endless', 5)))
  await until(() => dripping.size >= MAX_IMPORTS, { withinMs: 10_000, what: 'the maximum of imports' })
  const startedMs = performance.now()
  const other = await importing('/quick', 1)
  await until(async () => (await other.progress()).state !== 'PENDING', {
    withinMs: BOUND_MS,
    what: 'the other import',
  })
  expect(await other.progress()).toMatchObject({ state: 'READY', receivedBytes: 5 })
  expect(performance.now() - startedMs).toBeLessThan(BOUND_MS)

  // An import that is preempted in its fifth attempt is FAILED, and the history of its part contains the reason.
  await owner`update sourcing.file_jobs set attempts = 4 where lease_token is null`
  const [failed] = await until(
    async () => {
      const rows = await owner<{ id: string; part_id: string }[]>`
        select id, part_id from sourcing.files where state = 'FAILED' and reason = 'too_slow' limit 1`
      return rows.length > 0 && rows
    },
    { withinMs: 30_000, what: 'a FAILED import' },
  )
  const preempted = others.find(({ part }) => part === failed?.part_id)
  const history = await preempted?.own.client.get<{ items: { changes: object[] }[] }>(
    `/v1/parts/${preempted.part}/history`,
  )
  expect(history?.body.items.flatMap(({ changes }) => changes)).toContainEqual({
    field: `files.${failed?.id}.reason`,
    after: 'too_slow',
  })
  // Every other import is retried.
  const lost = await owner`
    select id from sourcing.files f
    where state = 'PENDING' and not exists (select from sourcing.file_jobs j where j.file_id = f.id)`
  expect(lost).toHaveLength(0)
}, 60_000)
