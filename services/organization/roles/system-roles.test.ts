import { expect, test } from 'bun:test'
import type { Role } from '../../../proto/http/organization/roles.ts'
import type { OrgRole } from '../../../proto/permissions.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import type { Page } from '../../testing/people.ts'

const market = await marketplaceOf([])

/** The system roles as the contract lists them. */
const BUYER = [
  ...['app:consumer', 'file:write', 'rfq:create', 'rfq:publish', 'rfq:invite', 'rfq:award', 'rfq:cancel'],
  ...['offer:accept', 'offer:reject', 'order:receive', 'order:cancel', 'case:read', 'case:manage'],
  ...['assignment:read', 'assignment:manage'],
]
const IP_OWNER = [
  ...['app:ip-owner', 'part:create', 'part:update', 'part:publish', 'part:delete', 'file:write', 'case:read'],
]
const MANUFACTURER = [
  ...['app:manufacturer', 'offer:create', 'offer:submit', 'offer:withdraw', 'order:confirm', 'order:update'],
  ...['factory:manage', 'file:write', 'case:read', 'case:manage', 'assignment:read', 'assignment:manage'],
]
const SELLER = ['app:seller', 'file:write', 'order:update', 'case:read', 'assignment:read']
const DISTRIBUTOR = ['app:distributor', 'factory:release', 'case:read', 'assignment:read']

/** What each organization's administrator holds, and what depends on a role of the organization. */
const OF_EVERY_ORGANIZATION = [
  ...['part:update', 'part:publish', 'part:delete', 'file:write', 'rfq:cancel', 'offer:create', 'offer:submit'],
  ...['offer:withdraw', 'offer:reject', 'order:confirm', 'order:update', 'order:receive', 'order:cancel'],
  ...[
    'case:read',
    'case:manage',
    'assignment:read',
    'assignment:manage',
    'org:admin',
    'user:manage',
    'role:manage',
    'webhook:manage',
  ],
]
const BY_ROLE: Record<OrgRole, string[]> = {
  CONSUMER: ['app:consumer', 'rfq:create', 'rfq:publish', 'rfq:invite', 'rfq:award', 'offer:accept'],
  IP_OWNER: ['app:ip-owner', 'part:create'],
  MANUFACTURER: ['app:manufacturer', 'factory:manage'],
  SELLER: ['app:seller'],
  DISTRIBUTOR: ['app:distributor', 'factory:release'],
}

async function rolesOf({ administrator }: TestOrganization): Promise<Record<string, string[]>> {
  const { items } = (await administrator.client.get<Page<Role>>('/v1/roles?pageSize=50')).body
  return Object.fromEntries(items.map(({ name, permissions }) => [name, [...permissions].sort()]))
}
const sorted = (roles: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(roles).map(([name, permissions]) => [name, [...permissions].sort()]))

test.each([
  ['CONSUMER', { Buyer: BUYER }],
  ['IP_OWNER', { 'IP owner': IP_OWNER }],
  ['MANUFACTURER', { Manufacturer: MANUFACTURER }],
  ['SELLER', { Seller: SELLER }],
  ['DISTRIBUTOR', { Distributor: DISTRIBUTOR }],
] as const)(
  'an organization with the role %s has its system roles, with the permissions of the contract',
  async (role, own) => {
    const Administrator = [...OF_EVERY_ORGANIZATION, ...BY_ROLE[role]]
    const expected = { Administrator, ...(own as Record<string, string[]>), Viewer: [] }
    expect(await rolesOf(await market.organization([role]))).toEqual(sorted(expected))
  },
)

test('an organization with every role has every system role; the operator has platform:operate besides', async () => {
  const all = await market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR'])
  const Administrator = [...OF_EVERY_ORGANIZATION, ...Object.values(BY_ROLE).flat()]
  expect(await rolesOf(all)).toEqual(
    sorted({
      ...{ Administrator, Buyer: BUYER, 'IP owner': IP_OWNER, Manufacturer: MANUFACTURER, Seller: SELLER },
      ...{ Distributor: DISTRIBUTOR, Viewer: [] },
    }),
  )
  expect(await rolesOf(await market.operator())).toEqual(
    sorted({ Administrator: [...OF_EVERY_ORGANIZATION, 'platform:operate'], Viewer: [] }),
  )
})
