import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/organization/mail-addresses.ts'
import { emailProblems } from '../../kit/addresses/email-addresses.ts'
import type { Pool } from '../../kit/db/client.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { positionOfId } from '../../kit/pagination/keysets.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import * as commands from './commands.ts'
import { findAddress, listAddresses } from './queries.ts'

type Deps = commands.AddressDeps & { http: Http; pagination: Pagination; sql: Pool }

export const mailAddressRoutes = ({ http, pagination, sql, links }: Deps) =>
  new Elysia({ name: 'organization.mail-addresses' })
    .use(
      http.route(operations.listMailAddresses, (context) =>
        pagination.items(
          context,
          'mailAddresses',
          (window, read) => read((sql) => listAddresses(sql, context.caller.orgId, window)),
          positionOfId,
        ),
      ),
    )
    .use(
      http.route(operations.getMailAddress, async ({ caller, params, read }) =>
        withoutNulls(found(await read((sql) => findAddress(sql, caller.orgId, params.id)))),
      ),
    )
    .use(
      http.command(operations.createMailAddress, (call) => commands.createAddress({ links }, call), {
        checkBody: ({ email }) => emailProblems(email, 'email'),
      }),
    )
    .use(http.command(operations.patchMailAddress, commands.patchAddress))
    .use(http.command(operations.sendMailAddressConfirmation, (call) => commands.sendConfirmation({ links }, call)))
    .use(http.command(operations.deleteMailAddress, commands.deleteAddress))
    .use(
      http.publicRoute(operations.introspectMailAddress, ({ body, now, read }) =>
        read((sql) => commands.introspectAddress(sql, body.token, now)),
      ),
    )
    .use(
      http.publicRoute(operations.confirmMailAddress, ({ body, auditContext, now }) =>
        commands.confirmAddress(sql, body.token, auditContext, now),
      ),
    )
    .use(
      http.publicRoute(operations.unsubscribeMailAddress, ({ query, auditContext, now }) =>
        commands.unsubscribe(sql, query.token, auditContext, now),
      ),
    )
