import { Elysia } from 'elysia'
import { getFileObject, getPublicFile, listPartFiles, updatePartFiles } from '../../../proto/http/sourcing/files.ts'
import { listPartRevisionFiles } from '../../../proto/http/sourcing/part-revisions.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pictures } from '../renderings/pictures.ts'
import type { FileDeps } from './additions.ts'
import { findObjects, updateFiles } from './commands.ts'
import { type ContentDeps, publicContent, signedContent } from './content.ts'
import { filesOf, revisionFilesOf } from './list.ts'
import { requestProblems } from './rules.ts'

type FileRoutesDeps = FileDeps &
  ContentDeps & {
    http: Http
    publicUrl: string
    pictures: Pictures
    /** Called when a file may have been added as PENDING. */
    onPending: () => void
  }

export const fileRoutes = ({ http, onPending, ...deps }: FileRoutesDeps) =>
  new Elysia({ name: 'sourcing.files' })
    .use(http.route(listPartFiles, (context) => filesOf(deps, context)))
    .use(http.route(listPartRevisionFiles, (context) => revisionFilesOf(deps, context)))
    .use(
      http.preparedCommand(updatePartFiles, {
        checkBody: requestProblems,
        prepare: (call) => findObjects(deps, call),
        run: (call) => updateFiles(deps, call),
        // A file may have to be copied and read by the worker.
        afterCommit: onPending,
      }),
    )
    .use(
      http.publicRoute(getFileObject, ({ request, params, query }) =>
        signedContent(deps, { request, key: params.key, ...query }),
      ),
    )
    .use(http.publicRoute(getPublicFile, ({ request, params, now }) => publicContent(deps, request, params.id, now)))
