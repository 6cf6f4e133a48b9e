import { getImport, importPartFile } from '../../../proto/http/sourcing/imports.ts'
import type { Http } from '../../kit/http/server.ts'
import { type ImportDeps, importFile, importOf } from './commands.ts'

export const importRoutes = ({ http, ...deps }: ImportDeps & { http: Http }) =>
  http
    .routes()
    .on(importPartFile, ({ caller, params, body, trail }) =>
      importFile(deps, { caller, partId: params.partId, body, trail }),
    )
    .on(getImport, ({ caller, params }) => importOf(deps, caller.orgId, params.fileId))
