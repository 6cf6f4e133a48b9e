import {
  createBusinessUnit,
  deleteBusinessUnit,
  getBusinessUnit,
  listBusinessUnits,
  patchBusinessUnit,
} from '../../../proto/http/organization/business-units.ts'
import { found } from '../../kit/http/refusal.ts'
import type { Http } from '../../kit/http/server.ts'
import { positionOfName } from '../../kit/pagination/keysets.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import * as commands from './commands.ts'
import * as queries from './queries.ts'

type Deps = commands.CommandDeps & { http: Http; pagination: Pagination }

export const businessUnitRoutes = ({ http, pagination, ...deps }: Deps) =>
  http
    .routes()
    .on(listBusinessUnits, ({ caller, query }) =>
      pagination.page(
        { caller, list: 'businessUnits', query },
        (window) => queries.listBusinessUnits(deps.sql, caller.orgId, window),
        positionOfName,
      ),
    )
    .on(getBusinessUnit, async ({ caller, params }) =>
      found(await queries.findBusinessUnit(deps.sql, caller.orgId, params.id)),
    )
    .on(createBusinessUnit, (call) => commands.createBusinessUnitOnce(deps, call))
    .on(patchBusinessUnit, ({ params, ...call }) => commands.patchBusinessUnit(deps, { ...call, id: params.id }))
    .on(deleteBusinessUnit, ({ caller, params, trail }) => commands.deleteBusinessUnit(deps, caller, params.id, trail))
