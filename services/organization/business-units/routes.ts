import { Elysia } from 'elysia'
import {
  createBusinessUnit,
  deleteBusinessUnit,
  getBusinessUnit,
  listBusinessUnits,
  patchBusinessUnit,
} from '../../../proto/http/organization/business-units.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { pageOf, windowOf } from '../../kit/http/pages.ts'
import * as commands from './commands.ts'
import * as queries from './queries.ts'

export const businessUnitRoutes = ({ http, ...deps }: commands.CommandDeps & { http: Http }) =>
  new Elysia({ name: 'organization.business-units' })
    .use(
      http.route(listBusinessUnits, async ({ caller, query }) =>
        pageOf(await queries.listBusinessUnits(deps.sql, caller.orgId, windowOf(query)), query),
      ),
    )
    .use(
      http.route(getBusinessUnit, async ({ caller, params }) =>
        found(await queries.findBusinessUnit(deps.sql, caller.orgId, params.id)),
      ),
    )
    .use(http.route(createBusinessUnit, (call) => commands.createBusinessUnitOnce(deps, call)))
    .use(
      http.route(patchBusinessUnit, ({ params, ...call }) =>
        commands.patchBusinessUnit(deps, { ...call, id: params.id }),
      ),
    )
    .use(
      http.route(deleteBusinessUnit, ({ caller, params, audit }) =>
        commands.deleteBusinessUnit(deps, caller, params.id, audit),
      ),
    )
