import { Elysia } from 'elysia'
import { getFileObject, getPublicFile, listPartFiles, updatePartFiles } from '../../../proto/http/sourcing/files.ts'
import type { Http } from '../../kit/http/http.ts'
import { type FileDeps, updateFiles } from './commands.ts'
import { type ContentDeps, publicContent, signedContent } from './content.ts'
import { filesOf } from './listing.ts'
import { requestProblems } from './rules.ts'

type FileRoutesDeps = FileDeps & ContentDeps & { http: Http; publicUrl: string }

export const fileRoutes = ({ http, ...deps }: FileRoutesDeps) =>
  new Elysia({ name: 'sourcing.files' })
    .use(http.route(listPartFiles, ({ caller, params }) => filesOf(deps, caller.orgId, params.id)))
    .use(
      http.route(
        updatePartFiles,
        ({ params, ...call }) => updateFiles(deps, { ...call, partId: params.id }).then(() => undefined),
        requestProblems,
      ),
    )
    .use(
      http.publicRoute(getFileObject, ({ request, params, query }) =>
        signedContent(deps, { request, key: params.key, ...query }),
      ),
    )
    .use(http.publicRoute(getPublicFile, ({ request, params }) => publicContent(deps, request, params.id)))
