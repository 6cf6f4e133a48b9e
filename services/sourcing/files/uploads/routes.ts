import { Elysia } from 'elysia'
import { createUploadUrl, putUpload } from '../../../../proto/http/sourcing/uploads.ts'
import type { Http } from '../../../kit/http/http.ts'
import { createUpload, type UploadDeps } from './commands.ts'
import type { Transfers } from './transfer.ts'

export const uploadRoutes = ({ http, transfers, ...deps }: UploadDeps & { http: Http; transfers: Transfers }) =>
  new Elysia({ name: 'sourcing.uploads' })
    .use(http.command(createUploadUrl, (call) => createUpload(deps, call)))
    .use(
      http.publicRoute(putUpload, ({ request, params: { id }, query }) => transfers.receive({ request, id, ...query })),
    )
