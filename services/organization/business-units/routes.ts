import { Elysia } from 'elysia'
import {
  createBusinessUnit,
  deleteBusinessUnit,
  getBusinessUnit,
  listBusinessUnits,
  patchBusinessUnit,
} from '../../../proto/http/organization/business-units.ts'
import { found } from '../../kit/errors/refusal.ts'
import { positionOfName } from '../../kit/pagination/keysets.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import * as commands from './commands.ts'
import * as queries from './queries.ts'

export const businessUnitRoutes = ({ http, pagination }: RouteKit) =>
  new Elysia({ name: 'organization.business-units' })
    .use(
      http.route(listBusinessUnits, (context) =>
        pagination.page(
          context,
          'businessUnits',
          (window, read) => read((sql) => queries.listBusinessUnits(sql, context.caller.orgId, window)),
          positionOfName,
        ),
      ),
    )
    .use(
      http.route(getBusinessUnit, async ({ caller, params, read }) =>
        found(await read((sql) => queries.findBusinessUnit(sql, caller.orgId, params.id))),
      ),
    )
    .use(http.command(createBusinessUnit, commands.createBusinessUnit))
    .use(http.command(patchBusinessUnit, commands.patchBusinessUnit))
    .use(http.command(deleteBusinessUnit, commands.deleteBusinessUnit))
