import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/organization/identity-providers.ts'
import type { Http } from '../../kit/http/http.ts'
import { positionOfId } from '../../kit/pagination/keysets.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import * as commands from './commands.ts'
import { inputProblems } from './input.ts'
import * as queries from './queries.ts'
import { providerOf } from './shapes.ts'

type Deps = commands.ProviderDeps & { http: Http; pagination: Pagination }

export const identityProviderRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'organization.identity-providers' })
    .use(
      http.route(operations.listIdentityProviders, async (context) => {
        const { caller, read } = context
        const { items, hasMore } = await pagination.page(
          context,
          'identityProviders',
          (window, readPage) => readPage((sql) => queries.listProviders(sql, caller.orgId, window)),
          positionOfId,
        )
        const ids = items.map(({ id }) => id)
        const domains = await read((sql) => queries.listDomains(sql, caller.orgId, ids))
        const of = (id: string) => domains.filter(({ provider_id: owner }) => owner === id)
        return { items: items.map((row) => providerOf(row, of(row.id), deps.publicUrl)), hasMore }
      }),
    )
    .use(
      http.route(operations.getIdentityProvider, ({ caller, params, read }) =>
        read((sql) => commands.readProvider(sql, caller.orgId, params.id, deps.publicUrl)),
      ),
    )
    .use(
      http.command(operations.createIdentityProvider, (call) => commands.createProvider(deps, call), {
        checkBody: (body) => inputProblems(deps.guard, body),
      }),
    )
    .use(
      http.command(operations.patchIdentityProvider, (call) => commands.patchProvider(deps, call), {
        checkBody: (body) => inputProblems(deps.guard, body),
      }),
    )
    .use(http.command(operations.deleteIdentityProvider, commands.deleteProvider))
    .use(
      http.preparedCommand(operations.verifyIdentityDomain, {
        prepare: (call) => commands.prepareProof(deps, call),
        run: (call) => commands.verifyDomain(deps, call),
      }),
    )
