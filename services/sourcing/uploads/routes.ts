import { createUploadUrl, putUpload } from '../../../proto/http/sourcing/uploads.ts'
import type { Http } from '../../kit/http/server.ts'
import { createUpload, type UploadDeps } from './commands.ts'
import type { Transfers } from './transfer.ts'

export const uploadRoutes = ({ http, transfers, ...deps }: UploadDeps & { http: Http; transfers: Transfers }) =>
  http
    .routes()
    .on(createUploadUrl, (call) => createUpload(deps, call))
    .open(putUpload, ({ request, params: { id }, query }) => transfers.receive({ request, id, ...query }))
