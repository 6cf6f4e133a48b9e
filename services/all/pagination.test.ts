import { expect, test } from 'bun:test'
import { marketplaceOf } from '../testing/marketplace.ts'

/** The lists without a strategy of their own; users, parts, histories and the audit log have a test each beside them. */
const market = await marketplaceOf([])
const { owner } = market.db

interface Case {
  path: string
  /** Creates a record of the organization, or of its administrator; a lower number comes first in the list. */
  add(place: { orgId: string; userId: string }, number: number): PromiseLike<unknown>
  remove(id: string): PromiseLike<unknown>
}

const idOf = (prefix: string, number: number, orgId: string) => `${prefix}_${String(9000 - number)}${orgId.slice(8)}`
const nameOf = (number: number) => `Name of ${String(1000 + number)}`

const CASES: Case[] = [
  {
    path: '/v1/roles',
    add: ({ orgId }, number) => owner`
      insert into organization.roles (id, org_id, name, permissions, system, created_at)
      values (${idOf('role', number, orgId)}, ${orgId}, ${nameOf(number)}, '{}', false, now())`,
    remove: (id) => owner`delete from organization.roles where id = ${id}`,
  },
  {
    path: '/flows/v1/business-units',
    add: ({ orgId }, number) => owner`
      insert into organization.business_units (id, org_id, name, created_at)
      values (${idOf('bu', number, orgId)}, ${orgId}, ${nameOf(number)}, now())`,
    remove: (id) => owner`delete from organization.business_units where id = ${id}`,
  },
  {
    path: '/flows/v1/custom-fields',
    add: ({ orgId }, number) => owner`
      insert into organization.custom_fields (id, org_id, name, created_at)
      values (${idOf('cf', number, orgId)}, ${orgId}, ${nameOf(number)}, now())`,
    remove: (id) => owner`delete from organization.custom_fields where id = ${id}`,
  },
  {
    path: '/flows/v1/impersonation-grants',
    add: ({ orgId, userId }, number) => owner`
      insert into identity.impersonation_grants
        (id, org_id, user_id, acting_email, reason, granted_by, grantor_password_version, token_hash, created_at, expires_at)
      values (${idOf('grant', number, orgId)}, ${orgId}, ${userId}, 'support@example.com', 'Ticket', ${userId}, 1,
        sha256(${idOf('grant', number, orgId)}::bytea), now(), now())`,
    remove: (id) => owner`delete from identity.impersonation_grants where id = ${id}`,
  },
  {
    path: '/flows/v1/sessions',
    add: ({ orgId, userId }, number) => owner`
      insert into identity.sessions (id, user_id, org_id, session_version, created_at, last_used_at, expires_at)
      values (${idOf('sess', number, orgId)}, ${userId}, ${orgId}, 1, now(), now(), now() + interval '1 hour')`,
    remove: (id) => owner`update identity.sessions set ended_at = now() where id = ${id}`,
  },
]

test.each(CASES.map((list) => [list.path, list] as const))(
  'consecutive pages of GET %s repeat and skip nothing while records are added and removed',
  async (path, { add, remove }) => {
    const { orgId, administrator } = await market.organization(['IP_OWNER'])
    const { client, userId } = administrator
    const place = { orgId, userId }
    const get = async (query: string) => {
      const { status, body } = await client.get<{ items: { id: string }[]; hasMore: boolean }>(`${path}?${query}`)
      expect(status).toBe(200)
      return { ids: body.items.map(({ id }) => id), hasMore: body.hasMore }
    }
    for (let number = 100; number < 112; number++) await add(place, number)
    const all = (await get('pageSize=50')).ids
    const read: string[] = []
    for (let page = 1; ; page++) {
      const { ids, hasMore } = await get(`pageSize=4&page=${page}`)
      read.push(...ids)
      if (!hasMore) break
      for (const id of ids.slice(0, 2)) if (id.endsWith(orgId.slice(8))) await remove(id)
      for (const number of [1, 2, 3]) await add(place, page * 10 + number)
    }
    expect(read).toEqual(all)
    expect(await get('pageSize=50&page=2147483647')).toEqual({ ids: [], hasMore: false })
  },
)
