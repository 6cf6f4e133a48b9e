import {
  createCustomField,
  deleteCustomField,
  getCustomField,
  listCustomFields,
  patchCustomField,
} from '../../../proto/http/organization/custom-fields.ts'
import { found } from '../../kit/http/refusal.ts'
import type { Http } from '../../kit/http/server.ts'
import { positionOfName } from '../../kit/pagination/keysets.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import * as commands from './commands.ts'
import * as queries from './queries.ts'

type Deps = commands.CommandDeps & { http: Http; pagination: Pagination }

export const customFieldRoutes = ({ http, pagination, ...deps }: Deps) =>
  http
    .routes()
    .on(listCustomFields, ({ caller, query }) =>
      pagination.page(
        { caller, list: 'customFields', query },
        (window) => queries.listCustomFields(deps.sql, caller.orgId, window),
        positionOfName,
      ),
    )
    .on(getCustomField, async ({ caller, params }) =>
      found(await queries.findCustomField(deps.sql, caller.orgId, params.id)),
    )
    .on(createCustomField, (call) => commands.createCustomFieldOnce(deps, call))
    .on(patchCustomField, ({ params, ...call }) => commands.patchCustomField(deps, { ...call, id: params.id }))
    .on(deleteCustomField, ({ caller, params, trail }) => commands.deleteCustomField(deps, caller, params.id, trail))
