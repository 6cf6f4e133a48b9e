import {
  createBusinessUnit,
  deleteBusinessUnit,
  getBusinessUnit,
  listBusinessUnits,
  patchBusinessUnit,
} from '../../../proto/http/organization/business-units.ts'
import { found } from '../../kit/errors/refusal.ts'
import { pageOf, windowOf } from '../../kit/http/pages.ts'
import type { Http } from '../../kit/http/server.ts'
import * as commands from './commands.ts'
import * as queries from './queries.ts'

export const businessUnitRoutes = ({ http, ...deps }: commands.CommandDeps & { http: Http }) =>
  http
    .routes()
    .on(listBusinessUnits, async ({ caller, query }) =>
      pageOf(await queries.listBusinessUnits(deps.sql, caller.orgId, windowOf(query)), query),
    )
    .on(getBusinessUnit, async ({ caller, params }) =>
      found(await queries.findBusinessUnit(deps.sql, caller.orgId, params.id)),
    )
    .on(createBusinessUnit, (call) => commands.createBusinessUnitOnce(deps, call))
    .on(patchBusinessUnit, ({ params, ...call }) => commands.patchBusinessUnit(deps, { ...call, id: params.id }))
    .on(deleteBusinessUnit, ({ caller, params, audit }) => commands.deleteBusinessUnit(deps, caller, params.id, audit))
