import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/organization/registrations.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { positionOfId } from '../../kit/pagination/keysets.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import * as commands from './commands.ts'
import { findRegistration, listRegistrations } from './queries.ts'

type Deps = commands.RegistrationDeps & { http: Http; pagination: Pagination }

export const registrationRoutes = ({ http, pagination, ...deps }: Deps) => {
  return new Elysia({ name: 'organization.registrations' })
    .use(
      http.publicRoute(operations.createRegistration, ({ body, auditContext, now }) =>
        commands.requestRegistration(deps, body, auditContext, now),
      ),
    )
    .use(
      http.publicRoute(operations.introspectRegistration, ({ body, now, read }) =>
        read((sql) => commands.introspectRegistration(sql, body.token, now)),
      ),
    )
    .use(
      http.publicRoute(operations.confirmRegistration, ({ body, auditContext, now }) =>
        commands.confirmRegistration(deps, body.token, auditContext, now),
      ),
    )
    .use(
      http.route(operations.listRegistrations, (context) =>
        pagination.items(
          context,
          'registrations',
          (window, read) => read((sql) => listRegistrations(sql, { ...window, state: context.query.state })),
          positionOfId,
        ),
      ),
    )
    .use(
      http.route(operations.getRegistration, async ({ params, read }) =>
        withoutNulls(found(await read((sql) => findRegistration(sql, params.id)))),
      ),
    )
    .use(http.command(operations.approveRegistration, (call) => commands.approveRegistration(deps, call)))
    .use(http.command(operations.rejectRegistration, (call) => commands.rejectRegistration(deps, call)))
}
