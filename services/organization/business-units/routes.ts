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

interface Deps {
  http: Http
  pagination: Pagination
  sql: Pool
}

export const businessUnitRoutes = ({ http, pagination, sql }: Deps) =>
  new Elysia({ name: 'organization.business-units' })
    .use(
      http.route(listBusinessUnits, ({ caller, query }) =>
        pagination.page(
          { caller, list: 'businessUnits', query },
          (window) => queries.listBusinessUnits(sql, caller.orgId, window),
          positionOfName,
        ),
      ),
    )
    .use(
      http.route(getBusinessUnit, async ({ caller, params }) =>
        found(await queries.findBusinessUnit(sql, caller.orgId, params.id)),
      ),
    )
    .use(http.command(createBusinessUnit, commands.createBusinessUnit))
    .use(http.command(patchBusinessUnit, commands.patchBusinessUnit))
    .use(http.command(deleteBusinessUnit, commands.deleteBusinessUnit))
