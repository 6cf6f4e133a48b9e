import { Elysia } from 'elysia'
import { getPreview } from '../../../proto/http/sourcing/previews.ts'
import type { Http } from '../../kit/http/http.ts'
import { type PreviewDeps, previewContent } from './content.ts'

export const previewRoutes = ({ http, ...deps }: PreviewDeps & { http: Http }) =>
  new Elysia({ name: 'sourcing.previews' }).use(
    http.publicRoute(getPreview, ({ request, params, query, now }) =>
      previewContent(deps, request, { key: params.key, ...query }, now),
    ),
  )
