import { Elysia } from 'elysia'
import { getImport, importPartFile } from '../../../proto/http/sourcing/imports.ts'
import type { AddressGuard } from '../../kit/addresses/guard.ts'
import type { Http } from '../../kit/http/http.ts'
import { type ImportDeps, importFile, importOf } from './commands.ts'

export const importRoutes = ({ http, guard, ...deps }: ImportDeps & { http: Http; guard: AddressGuard }) =>
  new Elysia({ name: 'sourcing.imports' })
    .use(
      http.route(
        importPartFile,
        ({ params, ...call }) => importFile(deps, { ...call, partId: params.partId }),
        ({ sasUrl }) => {
          const problem = guard.problemOf(sasUrl)
          return problem === undefined ? [] : [{ field: 'sasUrl', message: problem }]
        },
      ),
    )
    .use(http.route(getImport, ({ caller, params }) => importOf(deps, caller.orgId, params.fileId)))
