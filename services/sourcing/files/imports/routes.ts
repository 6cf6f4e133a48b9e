import { Elysia } from 'elysia'
import { getImport, importPartFile } from '../../../../proto/http/sourcing/imports.ts'
import type { AddressGuard } from '../../../kit/addresses/guard.ts'
import type { Http } from '../../../kit/http/http.ts'
import { type ImportDeps, importFile, importOf } from './commands.ts'

interface Deps extends ImportDeps {
  http: Http
  guard: AddressGuard
  /** Called when a file was added as PENDING. */
  onPending: () => void
}

export const importRoutes = ({ http, guard, onPending, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.imports' })
    .use(
      http.command(importPartFile, (call) => importFile(deps, call), {
        checkBody({ sasUrl }) {
          const problem = guard.problemOf(sasUrl)
          return problem === undefined ? [] : [{ field: 'sasUrl', message: problem }]
        },
        afterCommit: onPending,
      }),
    )
    .use(http.route(getImport, ({ caller, params, read }) => read((sql) => importOf(sql, caller.orgId, params.fileId))))
