import { Elysia } from 'elysia'
import { batchGetOrgs, createOrg, getOrg, listEngagedOrgs, patchOrg } from '../../../proto/http/organization/orgs.ts'
import type { Pool } from '../../kit/db/client.ts'
import type { ReadOnPool } from '../../kit/db/connections.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import type { LinkDeps } from '../users/commands.ts'
import * as commands from './commands.ts'
import { findOrganizations, listEngagedOrganizations } from './queries.ts'

type Deps = LinkDeps & { http: Http; pagination: Pagination; sql: Pool; readOnPool: ReadOnPool }

export const organizationRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'organization.organizations' })
    .use(
      http.route(getOrg, async ({ caller, params }) =>
        commands.toOrg(found(await deps.readOnPool((sql) => findOrganizations(sql, caller, [params.id])))),
      ),
    )
    .use(
      http.route(batchGetOrgs, async ({ caller, body }) => {
        const orgs = await deps.readOnPool((sql) => findOrganizations(sql, caller, body.ids))
        const byId = new Map(orgs.map((org) => [org.id, commands.toOrg(org)]))
        return { items: [...new Set(body.ids)].flatMap((id) => byId.get(id) ?? []) }
      }),
    )
    .use(
      http.route(listEngagedOrgs, ({ caller, query }) =>
        deps.readOnPool(async (sql) => {
          const { items, hasMore } = await pagination.page(
            { caller, list: 'engagedOrgs', query },
            (window) => listEngagedOrganizations(sql, caller.orgId, window),
            ({ id }) => id,
          )
          return { items: items.map(commands.toOrg), hasMore }
        }),
      ),
    )
    .use(http.command(createOrg, (call) => commands.createOrg(deps, call)))
    .use(http.command(patchOrg, commands.patchOrg))
