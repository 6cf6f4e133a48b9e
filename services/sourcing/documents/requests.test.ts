import { describe, expect, test } from 'bun:test'
import { newId } from '../../kit/db/ids.ts'
import { documentsOf } from '../../testing/documents.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'
import { insertAssignedOrder } from '../../testing/orders.ts'

const market = await marketplaceOf(['sourcing'], { STORED_BYTES_MAX: '1000000' })
const { consumer, ipOwner, maker, partId, factory } = await offerParties(market)

describe('PATCH /flows/v1/orders/{id}/files', () => {
  test.each([
    ['nothing', {}, 'body'],
    ['empty lists', { add: [], remove: [] }, 'body'],
    ['an unknown kind', { add: [{ uploadId: 'a', kind: 'Certificate' }] }, 'add.0.kind'],
    ['no kind', { add: [{ uploadId: 'a' }] }, 'add.0.kind'],
    ['a group', { add: [{ uploadId: 'a', kind: 'OTHER', group: 'ip' }] }, 'add.0.group'],
    ['a bad name', { add: [{ uploadId: 'a', kind: 'OTHER', name: '../a' }] }, 'add.0.name'],
    ['one upload twice', { add: [1, 2].map(() => ({ uploadId: 'a', kind: 'OTHER' })) }, 'add.1.uploadId'],
    [
      'one document superseded twice',
      { add: ['a', 'b'].map((uploadId) => ({ uploadId, kind: 'OTHER', supersedes: 'file_1' })) },
      'add.1.supersedes',
    ],
    [
      'a document superseded and removed',
      { add: [{ uploadId: 'a', kind: 'OTHER', supersedes: 'file_1' }], remove: ['file_1'] },
      'add.0.supersedes',
    ],
    ['more than 100', { remove: Array.from({ length: 101 }, () => 'a') }, 'remove'],
    ['null', { add: null }, 'add'],
  ])('with %s is 400 before the permission and the order are checked', async (_, body, field) => {
    const member = await maker.member([])
    for (const client of [maker.administrator.client, member.client]) {
      const answer = await documentsOf(market, client).change('orders', newId('order'), body)
      expect([answer.status, answer.body.errors?.map((each) => each.field)]).toEqual([
        400,
        expect.arrayContaining([field]),
      ])
    }
  })

  test('beyond the storage limit of the organization is 409; removing a document makes room', async () => {
    const seller = await market.organization(['SELLER'])
    const id = await insertAssignedOrder(market.db.owner, {
      consumerOrgId: consumer.orgId,
      ipOwnerOrgId: ipOwner.orgId,
      manufacturerOrgId: maker.orgId,
      sellerOrgId: seller.orgId,
      partId,
      factoryId: factory.id,
    })
    const own = documentsOf(market, seller.administrator.client)
    const document = await own.add('orders', id, {}, 'x'.repeat(600_000))
    const add = [{ uploadId: (await own.upload('x'.repeat(600_000))).id, kind: 'OTHER' }]
    const refused = await own.change('orders', id, { add })
    expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
    expect((await own.change('orders', id, { add, remove: [document.id] })).status).toBe(204)
  })
})
