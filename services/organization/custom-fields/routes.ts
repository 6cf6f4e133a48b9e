import { Elysia } from 'elysia'
import {
  createCustomField,
  deleteCustomField,
  getCustomField,
  listCustomFields,
  patchCustomField,
} from '../../../proto/http/organization/custom-fields.ts'
import { found } from '../../kit/errors/refusal.ts'
import { positionOfName } from '../../kit/pagination/keysets.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import * as commands from './commands.ts'
import * as queries from './queries.ts'
import { repeatedProblems } from './rules.ts'

export const customFieldRoutes = ({ http, pagination }: RouteKit) =>
  new Elysia({ name: 'organization.custom-fields' })
    .use(
      http.route(listCustomFields, (context) =>
        pagination.page(
          context,
          'customFields',
          (window, read) => read((sql) => queries.listCustomFields(sql, context.caller.orgId, window)),
          positionOfName,
        ),
      ),
    )
    .use(
      http.route(getCustomField, async ({ caller, params, read }) =>
        found(await read((sql) => queries.findCustomField(sql, caller.orgId, params.id))),
      ),
    )
    .use(http.command(createCustomField, commands.createCustomField, { checkBody: repeatedProblems }))
    .use(http.command(patchCustomField, commands.patchCustomField, { checkBody: repeatedProblems }))
    .use(http.command(deleteCustomField, commands.deleteCustomField))
