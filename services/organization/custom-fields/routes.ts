import { Elysia } from 'elysia'
import {
  createCustomField,
  deleteCustomField,
  getCustomField,
  listCustomFields,
  patchCustomField,
} from '../../../proto/http/organization/custom-fields.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { pageOf, windowOf } from '../../kit/http/pages.ts'
import * as commands from './commands.ts'
import * as queries from './queries.ts'

export const customFieldRoutes = ({ http, ...deps }: commands.CommandDeps & { http: Http }) =>
  new Elysia({ name: 'organization.custom-fields' })
    .use(
      http.route(listCustomFields, async ({ caller, query }) =>
        pageOf(await queries.listCustomFields(deps.sql, caller.orgId, windowOf(query)), query),
      ),
    )
    .use(
      http.route(getCustomField, async ({ caller, params }) =>
        found(await queries.findCustomField(deps.sql, caller.orgId, params.id)),
      ),
    )
    .use(http.route(createCustomField, (call) => commands.createCustomFieldOnce(deps, call)))
    .use(
      http.route(patchCustomField, ({ params, ...call }) =>
        commands.patchCustomField(deps, { ...call, id: params.id }),
      ),
    )
    .use(
      http.route(deleteCustomField, ({ caller, params, audit }) =>
        commands.deleteCustomField(deps, caller, params.id, audit),
      ),
    )
