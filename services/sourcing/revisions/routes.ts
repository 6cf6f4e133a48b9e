import { Elysia } from 'elysia'
import { getPartRevision, listPartRevisions } from '../../../proto/http/sourcing/part-revisions.ts'
import { documentOf } from '../../kit/db/json-text.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { findOwnPart } from '../parts/queries.ts'
import { revisionOf } from '../parts/rules.ts'
import { findRevision, listRevisions } from './queries.ts'

export const revisionRoutes = ({ http, pagination }: RouteKit) =>
  new Elysia({ name: 'sourcing.revisions' })
    .use(
      http.route(listPartRevisions, (context) =>
        pagination.ofRecord(context, { name: 'revisions', isMerged: true }, findOwnPart, listRevisions),
      ),
    )
    .use(
      http.route(getPartRevision, async ({ caller, params, read }) => {
        const revision = revisionOf(params)
        return documentOf(await read((sql) => findRevision(sql, caller.orgId, params.id, revision)))
      }),
    )
