import { expect, test } from 'bun:test'
import { newId } from '../../../kit/db/ids.ts'
import { FileClient } from '../../../testing/files/file-client.ts'
import { marketplaceOf } from '../../../testing/marketplace.ts'
import type { Problem } from '../../../testing/people.ts'

const market = await marketplaceOf(['sourcing'])
const owner = await market.organization(['IP_OWNER'])
const own = new FileClient(market, owner.administrator.client)
const part = await own.createPart()

test.each([
  'http://example.com/a',
  `https://127.0.0.1:${new URL(market.url).port}/livez`,
  'https://localhost/a',
  'https://169.254.169.254/latest/meta-data/',
  'https://[::ffff:7f00:1]/a',
  'https://2130706433/a',
  'https://metadata.google.internal/computeMetadata/v1/',
])('an import from %s is 400 and adds no file', async (sasUrl) => {
  const { status, body } = await own.client.post<Problem>(`/v1/parts/${part}/import-file`, {
    name: 'a',
    group: 'document',
    sasUrl,
  })
  expect([status, body.errors?.[0]?.field]).toEqual([400, 'sasUrl'])
  expect(await own.listFiles(part)).toEqual([])
})

test.each(['not a URL', 'https://user:pw@example.com/a', 'https://127.0.0.1/a'])(
  'an import from %s is 400 before the permission and the part are checked',
  async (sasUrl) => {
    const member = await owner.member(['part:create'])
    const input = { name: 'a', group: 'document', sasUrl }
    for (const [client, id] of [
      [member.client, part],
      [own.client, newId('part')],
    ] as const) {
      const { status, body } = await client.post<Problem>(`/v1/parts/${id}/import-file`, input)
      expect([status, body.errors?.[0]?.field]).toEqual([400, 'sasUrl'])
    }
  },
)
