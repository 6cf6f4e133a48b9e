import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/organization/service-accounts.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { positionOfId } from '../../kit/pagination/keysets.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import type { LinkDeps } from '../users/commands.ts'
import { createAccount, patchAccount } from './commands.ts'
import { createKey } from './keys.ts'
import * as queries from './queries.ts'
import { revokeKey } from './revocation.ts'
import { networkProblems } from './shapes.ts'

type Deps = LinkDeps & { http: Http; pagination: Pagination }

export const serviceAccountRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'organization.service-accounts' })
    .use(
      http.route(operations.listServiceAccounts, (context) =>
        pagination.items(
          context,
          'serviceAccounts',
          (window, read) => read((sql) => queries.listAccounts(sql, context.caller.orgId, window)),
          positionOfId,
        ),
      ),
    )
    .use(
      http.route(operations.getServiceAccount, async ({ caller, params, read }) =>
        withoutNulls(found(await read((sql) => queries.findAccount(sql, caller.orgId, params.id)))),
      ),
    )
    .use(http.command(operations.createServiceAccount, (call) => createAccount(deps, call)))
    .use(http.command(operations.patchServiceAccount, patchAccount))
    .use(
      http.route(operations.listServiceAccountKeys, async (context) => {
        const { caller, params, read } = context
        const { id } = found(await read((sql) => queries.findAccount(sql, caller.orgId, params.id)))
        return pagination.items(
          context,
          `serviceAccountKeys ${id}`,
          (window, readPage) => readPage((sql) => queries.listKeys(sql, caller.orgId, id, window)),
          ({ clientId }) => clientId,
        )
      }),
    )
    .use(http.command(operations.createServiceAccountKey, createKey, { checkBody: networkProblems }))
    .use(http.command(operations.revokeServiceAccountKey, revokeKey))
