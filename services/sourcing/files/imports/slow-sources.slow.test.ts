import { afterAll, expect, test } from 'bun:test'
import type { Import } from '../../../../proto/http/sourcing/imports.ts'
import { FileClient } from '../../../testing/files/file-client.ts'
import { headOf, plainSource } from '../../../testing/files/plain-source.ts'
import { testMarketplace } from '../../../testing/marketplace.ts'
import { until } from '../../../testing/until.ts'

const market = await testMarketplace({ ALLOW_PRIVATE_ADDRESSES: 'true' })
/** Long enough to measure that the others are slow, and far shorter than they run. */
const MAX_WAIT_MS = 5_000

let open = 0
const drips: Timer[] = []
const source = plainSource({
  // One byte at intervals below the idle timeout.
  '/slow': (socket) => {
    open += 1
    socket.write(headOf(1_000_000))
    drips.push(setInterval(() => socket.write('x'), 200))
  },
  '/quick': (socket) => void socket.write(`${headOf(5)}whole`),
})
afterAll(() => {
  for (const drip of drips) clearInterval(drip)
  source.close()
})

async function importing(path: string, times: number): Promise<{ own: FileClient; fileIds: string[] }> {
  const { administrator } = await market.organization(['IP_OWNER'])
  const own = new FileClient(market, administrator.client)
  const part = await own.createPart()
  const input = { name: 'a', group: 'document', sasUrl: source.url + path }
  const begin = () => own.client.post<{ fileId: string }>(`/v1/parts/${part}/import-file`, input)
  const answers = await Promise.all(Array.from({ length: times }, begin))
  return { own, fileIds: answers.map(({ body }) => body.fileId) }
}

test('slow imports of three organizations hold no permits, and the import of a fourth one starts at once', async () => {
  for (let organizations = 1; organizations <= 3; organizations++) {
    await importing('/slow', 3)
    await until(() => open === 2 * organizations, { withinMs: 10_000, what: 'two imports of an organization' })
  }
  expect(open).toBe(6)
  const { own, fileIds } = await importing('/quick', 1)
  const stateOf = async () => (await own.client.get<Import>(`/flows/v1/imports/${fileIds[0]}`)).body.state
  await until(async () => (await stateOf()) === 'READY', {
    withinMs: MAX_WAIT_MS,
    what: 'the import of the fourth organization',
  })
  expect(open).toBe(6)
})
