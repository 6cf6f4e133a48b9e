import {
  createCustomField,
  deleteCustomField,
  getCustomField,
  listCustomFields,
  patchCustomField,
} from '../../../proto/http/organization/custom-fields.ts'
import { found } from '../../kit/errors/refusal.ts'
import { pageOf, windowOf } from '../../kit/http/pages.ts'
import type { Http } from '../../kit/http/server.ts'
import * as commands from './commands.ts'
import * as queries from './queries.ts'

export const customFieldRoutes = ({ http, ...deps }: commands.CommandDeps & { http: Http }) =>
  http
    .routes()
    .on(listCustomFields, async ({ caller, query }) =>
      pageOf(await queries.listCustomFields(deps.sql, caller.orgId, windowOf(query)), query),
    )
    .on(getCustomField, async ({ caller, params }) =>
      found(await queries.findCustomField(deps.sql, caller.orgId, params.id)),
    )
    .on(createCustomField, (call) => commands.createCustomFieldOnce(deps, call))
    .on(patchCustomField, ({ params, ...call }) => commands.patchCustomField(deps, { ...call, id: params.id }))
    .on(deleteCustomField, ({ caller, params, audit }) => commands.deleteCustomField(deps, caller, params.id, audit))
