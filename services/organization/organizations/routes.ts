import { Elysia } from 'elysia'
import { batchGetOrgs, createOrg, getOrg, listEngagedOrgs, patchOrg } from '../../../proto/http/organization/orgs.ts'
import { emailProblems } from '../../kit/addresses/email-addresses.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { positionOfId } from '../../kit/pagination/keysets.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import type { LinkDeps } from '../users/commands.ts'
import * as commands from './commands.ts'
import { findOrganizations, listEngagedOrganizations } from './queries.ts'
import { creationProblems, patchProblems } from './rules.ts'

type Deps = LinkDeps & { http: Http; pagination: Pagination }

export const organizationRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'organization.organizations' })
    .use(
      http.route(getOrg, async ({ caller, params, read }) =>
        withoutNulls(found(await read((sql) => findOrganizations(sql, caller, [params.id])))),
      ),
    )
    .use(
      http.route(batchGetOrgs, async ({ caller, body, read }) => {
        const orgs = await read((sql) => findOrganizations(sql, caller, body.ids))
        const byId = new Map(orgs.map((org) => [org.id, withoutNulls(org)]))
        return { items: [...new Set(body.ids)].flatMap((id) => byId.get(id) ?? []) }
      }),
    )
    .use(
      http.route(listEngagedOrgs, (context) =>
        pagination.items(
          context,
          'engagedOrgs',
          (window, read) => read((sql) => listEngagedOrganizations(sql, context.caller.orgId, window)),
          positionOfId,
        ),
      ),
    )
    .use(
      http.command(createOrg, (call) => commands.createOrg(deps, call), {
        checkBody: (body) => [
          ...creationProblems(body),
          ...emailProblems(body.administrator.email, 'administrator.email'),
        ],
      }),
    )
    .use(http.command(patchOrg, commands.patchOrg, { checkBody: patchProblems }))
