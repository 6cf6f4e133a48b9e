import { expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'
import type { Page, Problem } from '../../testing/people.ts'

const market = await marketplaceOf([])
const distributor = await market.organization(['DISTRIBUTOR'])
const engagedBy = (orgId: string, name: string) =>
  market.organization(['CONSUMER'], { name, engagement: 'DISTRIBUTOR', distributorOrgId: orgId })
const [first, second] = [await engagedBy(distributor.orgId, 'Fjord'), await engagedBy(distributor.orgId, 'Aker')]
const other = await market.organization(['DISTRIBUTOR'])
await engagedBy(other.orgId, 'Stranger')

const list = (query: string, by = distributor.administrator.client) =>
  by.get<Page<{ id: string; name: string }> & Problem>(`/flows/v1/orgs?${query}`)

test('a distributor lists the organizations that are engaged through it, newest first', async () => {
  const { status, body } = await list('')
  expect([status, body]).toEqual([
    200,
    {
      items: [
        {
          id: second.orgId,
          name: 'Aker',
          roles: ['CONSUMER'],
          regionCode: expect.any(String),
          engagement: 'DISTRIBUTOR',
          distributorOrgId: distributor.orgId,
        },
        expect.objectContaining({ id: first.orgId, name: 'Fjord' }),
      ],
      hasMore: false,
    },
  ] as never)
})

test('pages follow each other', async () => {
  const pages = [(await list('pageSize=1')).body, (await list('pageSize=1&page=2')).body]
  expect(pages.map(({ items, hasMore }) => [items.map(({ name }) => name), hasMore])).toEqual([
    [['Aker'], true],
    [['Fjord'], false],
  ])
})

test('without factory:release it is 403', async () => {
  const { client } = await distributor.member('Viewer')
  expect((await list('', client)).status).toBe(403)
  expect((await list('', first.administrator.client)).status).toBe(403)
})
