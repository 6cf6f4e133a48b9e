import { getFileObject, getPublicFile, listPartFiles, updatePartFiles } from '../../../proto/http/sourcing/files.ts'
import type { Http } from '../../kit/http/server.ts'
import { type FileDeps, updateFiles } from './commands.ts'
import { type ContentDeps, publicContent, signedContent } from './content.ts'
import { filesOf } from './listing.ts'
import { requestProblems } from './rules.ts'

export type FileRoutesDeps = FileDeps & ContentDeps & { http: Http; publicUrl: string }

export const fileRoutes = ({ http, ...deps }: FileRoutesDeps) =>
  http
    .routes()
    .on(listPartFiles, ({ caller, params }) => filesOf(deps, caller.orgId, params.id))
    .on(
      updatePartFiles,
      ({ caller, params, body, audit }) =>
        updateFiles(deps, { caller, partId: params.id, body, audit }).then(() => undefined),
      requestProblems,
    )
    .open(getFileObject, ({ request, params, query }) => signedContent(deps, { request, key: params.key, ...query }))
    .open(getPublicFile, ({ request, params }) => publicContent(deps, request, params.id))
