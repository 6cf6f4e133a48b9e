import { expect, test } from 'bun:test'
import { ApiClient } from '../testing/client.ts'
import { marketplaceOf, TEST_PASSWORD } from '../testing/marketplace.ts'

/** Records of replicas whose clocks differ by a minute, created in turn. */
let aheadMs = 0
const market = await marketplaceOf(['sourcing'], {}, undefined, { clock: () => Date.now() + aheadMs })
const org = await market.organization(['IP_OWNER'])
const { client } = org.administrator

interface Listed {
  id: string
  createdTime: string
}

async function onReplicasInTurn(create: () => Promise<{ status: number }>): Promise<void> {
  for (let n = 0; n < 6; n++) {
    aheadMs = n % 2 === 0 ? 60_000 : 0
    expect((await create()).status).toBeLessThan(300)
  }
  aheadMs = 0
}

/** Newest first, by id where the times are equal. */
const inOrder = (records: Listed[]) =>
  records.toSorted((a, b) => b.createdTime.localeCompare(a.createdTime) || (a.id < b.id ? 1 : -1)).map(({ id }) => id)

async function expectNewestFirst(path: string, count: number): Promise<void> {
  const { body } = await client.get<{ items: Listed[] }>(path)
  expect(body.items.length).toBeGreaterThanOrEqual(count)
  expect(body.items.map(({ id }) => id)).toEqual(inOrder(body.items))
}

test('parts are listed newest first by createdTime, whichever replica created them', async () => {
  await onReplicasInTurn(() => client.post('/v1/parts', {}))
  await expectNewestFirst('/v1/parts?view=IP_OWNER', 6)
})

test('files of a part are listed newest first by createdTime', async () => {
  const { body } = await client.post<{ id: string }>('/v1/parts', {})
  const source = { sasUrl: 'https://drawings.example.com/a', name: 'a', group: 'document' }
  await onReplicasInTurn(() => client.post(`/v1/parts/${body.id}/import-file`, source))
  await expectNewestFirst(`/v1/parts/${body.id}/files`, 6)
})

test('impersonation grants are listed newest first by createdTime', async () => {
  const { userId } = await org.member([])
  const body = { userId, actingEmail: 'support@example.com', reason: 'Ticket 4711' }
  await onReplicasInTurn(() => client.post('/flows/v1/impersonation-grants', body))
  await expectNewestFirst('/flows/v1/impersonation-grants', 6)
})

test('sessions are listed newest first by createdTime', async () => {
  const credentials = { grant_type: 'password', username: org.administrator.email, password: TEST_PASSWORD }
  await onReplicasInTurn(() => new ApiClient(market.url).post('/v2.3/oauth/token', credentials))
  await expectNewestFirst('/flows/v1/sessions', 7)
})
