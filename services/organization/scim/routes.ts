import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/organization/scim.ts'
import { emailSpelling } from '../../kit/addresses/email-spelling.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import * as discovery from './discovery.ts'
import * as groups from './groups.ts'
import { filterOf } from './paths.ts'
import * as queries from './queries.ts'
import { listOf, projected, returnedBy, userResource } from './resources.ts'
import * as users from './users.ts'

type Deps = users.ScimDeps & { http: Http }

const MAX_OFFSET = 2 ** 31 - 1

/** A start below 1 counts as 1, and a count below 0 as 0 (RFC 7644, section 3.4.2.4). */
function windowOf({ startIndex, count }: { startIndex: number; count: number }) {
  const start = Math.min(Math.max(startIndex, 1), MAX_OFFSET)
  return { start, limit: Math.min(Math.max(count, 0), operations.MAX_SCIM_COUNT), offset: start - 1 }
}

export const scimRoutes = ({ http, ...deps }: Deps) =>
  new Elysia({ name: 'organization.scim' })
    .use(
      http.route(operations.listScimUsers, async ({ caller: { orgId }, query, longRead }) => {
        const { start, ...window } = windowOf(query)
        const asked = filterOf(query.filter, ['userName', 'externalId'])
        const { value = '' } = asked ?? {}
        const byName = asked?.attribute === 'userName' ? { email: emailSpelling(value) } : { externalId: value }
        const filter = asked ? byName : {}
        const [total] = await longRead((sql) => queries.countUsers(sql, orgId, filter))
        const rows = await longRead((sql) => queries.listUsers(sql, orgId, filter, window))
        const resources = rows.map((row) => userResource(row, deps.publicUrl))
        return listOf(resources, total.count, start, query)
      }),
    )
    .use(
      http.route(operations.getScimUser, async ({ caller, params, query, read }) => {
        const row = found(await read((sql) => queries.findUser(sql, caller.orgId, params.id)))
        return projected(userResource(row, deps.publicUrl), query)
      }),
    )
    .use(http.command(operations.createScimUser, (call) => users.createUser(deps, call)))
    .use(http.command(operations.replaceScimUser, (call) => users.replaceUser(deps, call)))
    .use(http.command(operations.patchScimUser, (call) => users.patchUserAttributes(deps, call)))
    .use(http.command(operations.deleteScimUser, (call) => users.deleteUser(deps, call)))
    .use(
      http.route(operations.listScimGroups, async ({ caller: { orgId }, query, longRead }) => {
        const { start, ...window } = windowOf(query)
        const asked = filterOf(query.filter, ['displayName', 'externalId'])
        const filter = asked ? { [asked.attribute]: asked.value } : {}
        const [total] = await longRead((sql) => queries.countGroups(sql, orgId, filter))
        const rows = await longRead((sql) => queries.listGroups(sql, orgId, filter, window))
        const shown = { publicUrl: deps.publicUrl, showsMembers: returnedBy(query)('members') }
        return listOf(
          await longRead((sql) => groups.groupResources(sql, orgId, rows, shown)),
          total.count,
          start,
          query,
        )
      }),
    )
    .use(
      http.route(operations.getScimGroup, async ({ caller: { orgId }, params, query, longRead }) => {
        const row = found(await longRead((sql) => queries.findGroup(sql, orgId, params.id)))
        const shown = { publicUrl: deps.publicUrl, showsMembers: returnedBy(query)('members') }
        return projected(found(await longRead((sql) => groups.groupResources(sql, orgId, [row], shown))), query)
      }),
    )
    .use(http.command(operations.createScimGroup, (call) => groups.createGroup(deps, call)))
    .use(http.command(operations.replaceScimGroup, (call) => groups.replaceGroup(deps, call)))
    .use(http.command(operations.patchScimGroup, groups.patchGroup))
    .use(http.command(operations.deleteScimGroup, groups.deleteGroup))
    .use(http.route(operations.getScimServiceProviderConfig, () => discovery.serviceProviderConfig(deps.publicUrl)))
    .use(http.route(operations.listScimResourceTypes, () => listOf(discovery.resourceTypes(deps.publicUrl))))
    .use(
      http.route(operations.getScimResourceType, ({ params }) =>
        found(discovery.resourceTypes(deps.publicUrl).filter(({ id }) => id === params.id)),
      ),
    )
    .use(http.route(operations.listScimSchemas, () => listOf(discovery.SCHEMAS)))
