import { batchGetOrgs, createOrg, getOrg, patchOrg } from '../../../proto/http/organization/orgs.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/server.ts'
import type { CommandDeps } from '../users/commands.ts'
import * as commands from './commands.ts'
import { findOrganizations } from './queries.ts'

export const organizationRoutes = ({ http, ...deps }: CommandDeps & { http: Http }) =>
  http
    .routes()
    .on(getOrg, async ({ caller, params }) =>
      commands.orgOf(found(await findOrganizations(deps.sql, caller, [params.id]))),
    )
    .on(batchGetOrgs, async ({ caller, body }) => {
      const orgs = await findOrganizations(deps.sql, caller, body.ids)
      const byId = new Map(orgs.map((org) => [org.id, commands.orgOf(org)]))
      return { items: [...new Set(body.ids)].flatMap((id) => byId.get(id) ?? []) }
    })
    .on(createOrg, (call) => commands.createOrgOnce(deps, call))
    .on(patchOrg, ({ params, ...call }) => commands.patchOrg(deps, { ...call, id: params.id }))
