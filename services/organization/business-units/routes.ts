import { Elysia } from 'elysia'
import {
  createBusinessUnit,
  deleteBusinessUnit,
  getBusinessUnit,
  listBusinessUnits,
  patchBusinessUnit,
} from '../../../proto/http/organization/business-units.ts'
import type { Pool } from '../../kit/db/client.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { positionOfName } from '../../kit/pagination/keysets.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import * as commands from './commands.ts'
import * as queries from './queries.ts'

type Deps = commands.CommandDeps & { http: Http; pagination: Pagination; sql: Pool }

export const businessUnitRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'organization.business-units' })
    .use(
      http.route(listBusinessUnits, ({ caller, query }) =>
        pagination.page(
          { caller, list: 'businessUnits', query },
          (window) => queries.listBusinessUnits(deps.sql, caller.orgId, window),
          positionOfName,
        ),
      ),
    )
    .use(
      http.route(getBusinessUnit, async ({ caller, params }) =>
        found(await queries.findBusinessUnit(deps.sql, caller.orgId, params.id)),
      ),
    )
    .use(http.route(createBusinessUnit, (call) => commands.createBusinessUnitOnce(deps, call)))
    .use(http.route(patchBusinessUnit, ({ params, ...call }) => commands.patchBusinessUnit({ ...call, id: params.id })))
    .use(
      http.route(deleteBusinessUnit, ({ begin, params, audit }) =>
        commands.deleteBusinessUnit(begin, params.id, audit),
      ),
    )
