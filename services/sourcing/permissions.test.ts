import { expect, test } from 'bun:test'
import { PERMISSIONS, type Permission } from '../../proto/permissions.ts'
import { marketplaceOf, type TestUser } from '../testing/marketplace.ts'
import { inHours } from '../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const org = await market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR'])
const APPLICABLE = PERMISSIONS.filter((permission) => permission !== 'platform:operate')

const members = new Map<string, Promise<TestUser>>()
function memberWith(permissions: readonly Permission[]): Promise<TestUser> {
  const key = permissions.join()
  const member = members.get(key) ?? org.member([...permissions])
  members.set(key, member)
  return member
}

const reason = { reason: 'Sold.' }
const expireTime = inHours(100)
const price = { amount: '1', currency: 'EUR' }
const rfq = { partId: 'part_1', expireTime, currency: 'EUR', deliveryRegionCode: 'DK' }
const offer = {
  rfqId: 'rfq_1',
  factoryId: 'factory_1',
  priceBreaks: [{ minQuantity: 1, unitPrice: price, leadTimeDays: 1 }],
  validUntil: expireTime,
}
const pkg = { title: 'A', lines: [{ partId: 'part_1' }], expireTime, currency: 'EUR', deliveryRegionCode: 'DK' }
const address = { regionCode: 'NO', locality: 'Bergen', lines: [] }
const expense = { description: 'Freight', amount: price, incurredDate: '2026-04-29' }

type Request = [request: string, body?: object]

/** The requests of each permission, as the contract has them. The records in the paths do not exist. */
const REQUESTS: Partial<Record<Permission, Request[]>> = {
  'part:create': [['POST /v1/parts', {}]],
  'part:update': [['PATCH /flows/v1/parts/x', { title: 'A' }], ['POST /flows/v1/orders/x/release-files']],
  'part:publish': [
    ['POST /flows/v1/parts/x/publish'],
    ['POST /flows/v1/parts/x/archive'],
    ['POST /flows/v1/parts/x/unarchive'],
    ['POST /flows/v1/subscriptions/x/accept'],
    ['POST /flows/v1/subscriptions/x/decline'],
  ],
  'part:delete': [['DELETE /flows/v1/parts/x']],
  'file:write': [
    ['POST /v1/uploads', { name: 'a.stl', public: false }],
    ['PATCH /v1/parts/x/files', { remove: ['file_1'] }],
    ['PATCH /flows/v1/rfqs/x/files', { remove: ['file_1'] }],
    ['PATCH /flows/v1/offers/x/files', { remove: ['file_1'] }],
    ['PATCH /flows/v1/orders/x/files', { remove: ['file_1'] }],
    ['PATCH /flows/v1/cases/x/files', { remove: ['file_1'] }],
    ['POST /v1/parts/x/import-file', { name: 'a', group: 'document', sasUrl: 'https://example.com/a' }],
  ],
  'rfq:create': [
    ['POST /flows/v1/rfqs', rfq],
    ['PATCH /flows/v1/rfqs/x', { quantities: [1] }],
    ['DELETE /flows/v1/rfqs/x'],
    ['POST /flows/v1/rfq-packages', pkg],
    ['PATCH /flows/v1/rfq-packages/x', { title: 'A' }],
    ['DELETE /flows/v1/rfq-packages/x'],
  ],
  'rfq:publish': [
    ['POST /flows/v1/rfqs/x/publish'],
    ['POST /flows/v1/rfqs/x/extend', { expireTime }],
    ['POST /flows/v1/rfqs/x/close'],
    ['POST /flows/v1/rfqs/x/reopen', { expireTime }],
    ['POST /flows/v1/rfq-packages/x/publish'],
    ['POST /flows/v1/rfq-packages/x/extend', { expireTime }],
    ['POST /flows/v1/rfq-packages/x/amend', reason],
    ['POST /flows/v1/rfq-packages/x/close'],
  ],
  'rfq:invite': [['POST /flows/v1/rfqs/x/invite', { manufacturerIds: ['org_1'] }]],
  'rfq:award': [
    ['POST /flows/v1/rfqs/x/reaward', { awards: [{ offerId: 'offer_1', quantity: 1 }] }],
    ['POST /flows/v1/rfqs/x/award', { awards: [{ offerId: 'offer_1', quantity: 1 }] }],
    ['POST /flows/v1/rfq-packages/x/award', { awards: [{ rfqId: 'rfq_1', offerId: 'offer_1', quantity: 1 }] }],
  ],
  'rfq:cancel': [
    ['POST /flows/v1/rfqs/x/cancel', reason],
    ['POST /flows/v1/rfq-packages/x/cancel', reason],
  ],
  'offer:create': [
    ['POST /flows/v1/offers', offer],
    ['PATCH /flows/v1/offers/x', { notes: 'A' }],
    ['POST /flows/v1/offers/x/revise'],
    ['POST /flows/v1/rfqs/x/decline'],
    ['POST /flows/v1/rfqs/x/questions', { text: 'A' }],
    ['POST /flows/v1/rfq-packages/x/offers', { lines: [offer] }],
    ['POST /flows/v1/rfq-packages/x/accept-terms'],
  ],
  'offer:submit': [['POST /flows/v1/offers/x/submit'], ['POST /flows/v1/offers/x/reinstate']],
  'offer:withdraw': [['POST /flows/v1/offers/x/withdraw']],
  'offer:accept': [['POST /flows/v1/offers/x/accept', { quantity: 1 }]],
  'offer:reject': [['POST /flows/v1/offers/x/reject']],
  'order:confirm': [['POST /flows/v1/orders/x/confirm'], ['POST /flows/v1/orders/x/decline', reason]],
  'order:update': [
    ...['start', 'inspect', 'ship', 'resume'].map((verb): Request => [`POST /flows/v1/orders/x/${verb}`]),
    ['POST /flows/v1/orders/x/shipments', { quantity: 1 }],
    ['POST /flows/v1/orders/x/remake', { quantity: 1 }],
    ['POST /flows/v1/orders/x/rework', reason],
    ['POST /flows/v1/orders/x/hold', reason],
    ['POST /flows/v1/orders/x/milestones', { milestones: [] }],
  ],
  'order:receive': [
    ...['complete', 'accept-remake', 'decline-remake'].map((verb): Request => [`POST /flows/v1/orders/x/${verb}`]),
    ['POST /flows/v1/orders/x/shipments/y/receive', { acceptedQuantity: 1, rejectedQuantity: 0 }],
  ],
  'order:cancel': [['POST /flows/v1/orders/x/cancel', reason]],
  'factory:manage': [
    ['POST /flows/v1/factories', { name: 'Works', address }],
    ['PATCH /flows/v1/factories/x', { name: 'Works' }],
    ['POST /flows/v1/factories/x/capabilities', { capabilities: [] }],
    ['POST /flows/v1/factories/x/activate'],
    ['POST /flows/v1/factories/x/deactivate'],
  ],
  'factory:release': [
    ['POST /flows/v1/factories/x/release', { orgId: 'org_1' }],
    ['POST /flows/v1/factories/x/withdraw', { orgId: 'org_1' }],
    ['GET /flows/v1/factory-releases'],
  ],
  'app:consumer': [['GET /v1/factories?view=CONSUMER'], ['GET /flows/v1/rfqs/x/matches']],
  'app:distributor': [['GET /flows/v1/distributor/rfqs']],
  'app:manufacturer': [['GET /v1/factories?view=MANUFACTURER']],
  'case:read': ['', '/x', '/x/files', '/x/tasks', '/x/tasks/y', '/x/expenses', '/x/expenses/y'].map(
    (path): Request => [`GET /flows/v1/cases${path}`],
  ),
  'case:manage': [
    ['POST /flows/v1/cases', { kind: 'QUALITY', title: 'A' }],
    ['PATCH /flows/v1/cases/x', { title: 'A' }],
    ...['close', 'reopen', 'archive', 'unarchive'].map((verb): Request => [`POST /flows/v1/cases/x/${verb}`]),
    ['POST /flows/v1/cases/x/tasks', { title: 'A' }],
    ['PATCH /flows/v1/cases/x/tasks/y', { title: 'A' }],
    ['POST /flows/v1/cases/x/tasks/y/complete'],
    ['DELETE /flows/v1/cases/x/tasks/y'],
    ['POST /flows/v1/cases/x/expenses', expense],
    ['PATCH /flows/v1/cases/x/expenses/y', { description: 'A' }],
    ['DELETE /flows/v1/cases/x/expenses/y'],
  ],
  'assignment:read': ['', '/x', '/x/extensions', '/x/contacts', '/x/contacts/y', '/x/billing-details'].map(
    (path): Request => [`GET /flows/v1/assignments${path}`],
  ),
  'assignment:manage': [
    ['POST /flows/v1/assignments/x/archive'],
    ['POST /flows/v1/assignments/x/unarchive'],
    ['POST /flows/v1/assignments/x/extensions', { dueDate: '2031-01-01', reason: 'Late.' }],
    ['POST /flows/v1/assignments/x/contacts', { name: 'A' }],
    ['DELETE /flows/v1/assignments/x/contacts/y'],
    ['POST /flows/v1/assignments/x/billing-details', { companyName: 'A', address }],
    ['DELETE /flows/v1/assignments/x/billing-details/y'],
  ],
}

test.each(Object.entries(REQUESTS) as [Permission, Request[]][])(
  '%s alone suffices for its requests, and all other permissions do not',
  async (permission, requests) => {
    const [alone, without] = await Promise.all([
      memberWith([permission]),
      memberWith(APPLICABLE.filter((other) => other !== permission)),
    ])
    for (const [request, body] of requests) {
      const [method, path] = request.split(' ') as ['GET' | 'POST' | 'PATCH' | 'DELETE', string]
      const statusFor = async ({ client }: TestUser) =>
        (await client.send(method, path, body === undefined ? {} : { body })).status
      expect([request, await statusFor(without)]).toEqual([request, 403])
      // The records do not exist, and a new one may name records that do not exist.
      expect([request, [200, 201, 400, 404].includes(await statusFor(alone))]).toEqual([request, true])
    }
  },
)

test('reads of parts, files, RFQs, offers and orders need no permission', async () => {
  const { client } = await memberWith([])
  for (const kind of ['parts', 'rfqs', 'offers', 'orders']) {
    expect([kind, (await client.get(`/v1/${kind}`)).status]).toEqual([kind, 200])
    expect([kind, (await client.get(`/v1/${kind}/x`)).status]).toEqual([kind, 404])
  }
  for (const path of ['parts/x/files', 'parts/x/history', 'rfqs/x/history', 'orders/x/history', 'factories/x']) {
    expect([path, (await client.get(`/v1/${path}`)).status]).toEqual([path, 404])
  }
})
