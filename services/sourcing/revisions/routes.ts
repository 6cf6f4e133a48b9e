import { Elysia } from 'elysia'
import { getPartRevision, listPartRevisions } from '../../../proto/http/sourcing/part-revisions.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { findOwnPart } from '../parts/queries.ts'
import { revisionOf } from '../parts/rules.ts'
import { findRevision, listRevisions } from './queries.ts'

export const revisionRoutes = ({ http, pagination }: { http: Http; pagination: Pagination }) =>
  new Elysia({ name: 'sourcing.revisions' })
    .use(
      http.route(listPartRevisions, async (context) => {
        const { caller, params, read } = context
        const { id } = found(await read((sql) => findOwnPart(sql, caller.orgId, params.id)))
        return pagination.json(context, { name: `revisions ${id}`, isMerged: true }, (window, readPage) =>
          readPage((sql) => listRevisions(sql, id, window)),
        )
      }),
    )
    .use(
      http.route(getPartRevision, async ({ caller, params, read }) => {
        const revision = revisionOf(params)
        return new JsonText(found(await read((sql) => findRevision(sql, caller.orgId, params.id, revision))).document)
      }),
    )
