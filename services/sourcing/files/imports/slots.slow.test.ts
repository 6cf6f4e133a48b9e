import { afterAll, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import type { Import } from '../../../../proto/http/sourcing/imports.ts'
import { FileClient } from '../../../testing/files/file-client.ts'
import { headOf, plainSource } from '../../../testing/files/plain-source.ts'
import { marketplaceWithWorkers } from '../../../testing/marketplace.ts'
import { until } from '../../../testing/until.ts'

const MAX_IMPORTS = 8
const market = await marketplaceWithWorkers(['sourcing'], {
  ALLOW_PRIVATE_ADDRESSES: 'true',
  IMPORTS_AT_ONCE: String(MAX_IMPORTS),
})
/** Long enough for several sweeps, and far shorter than the slow imports run. */
const MAX_WAIT_MS = 5_000

const open = new Map<Socket, Timer>()
let begun = 0
const source = plainSource({
  // One byte at intervals below the idle timeout.
  '/slow': (socket) => {
    begun += 1
    socket.write(headOf(1_000_000))
    open.set(
      socket,
      setInterval(() => socket.write('x'), 200),
    )
  },
  '/quick': (socket) => void socket.write(`${headOf(5)}whole`),
})
const stop = (socket: Socket | undefined) => {
  if (!socket) return
  clearInterval(open.get(socket))
  open.delete(socket)
  socket.terminate()
}
afterAll(() => {
  for (const socket of [...open.keys()]) stop(socket)
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
  const stateOf = async () => (await progress()).state
  return { progress, stateOf, end: () => own.changeFiles(part, { remove: fileIds }) }
}

test('slow imports take the two slots of their organization, and the import of another one starts at once', async () => {
  for (let organizations = 1; organizations <= 3; organizations++) {
    await importing('/slow', 3)
    await until(() => begun === 2 * organizations, { withinMs: 10_000, what: 'two imports of an organization' })
  }
  const { stateOf } = await importing('/quick', 1)
  await until(async () => (await stateOf()) === 'READY', { withinMs: MAX_WAIT_MS, what: 'the quick import' })
  expect([begun, open.size]).toEqual([6, 6])
}, 60_000)

test('at IMPORTS_AT_ONCE another import waits; no import is ended for it, and it starts when one ends', async () => {
  const fourth = await importing('/slow', 2)
  await until(() => begun === MAX_IMPORTS, { withinMs: 10_000, what: 'the maximum of imports' })
  const { stateOf } = await importing('/quick', 1)
  // The reports of two seconds each show that the worker has looked for jobs meanwhile.
  const before = (await fourth.progress()).receivedBytes
  await until(async () => (await fourth.progress()).receivedBytes > before + 10, { what: 'the next reports' })
  expect([await stateOf(), await fourth.stateOf(), begun]).toEqual(['PENDING', 'PENDING', MAX_IMPORTS])
  await fourth.end()
  await until(async () => (await stateOf()) === 'READY', { withinMs: MAX_WAIT_MS, what: 'the waiting import' })
  expect(await market.db.owner`select from sourcing.files where state = 'FAILED'`).toHaveLength(0)
}, 60_000)
