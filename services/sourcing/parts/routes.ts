import { Elysia } from 'elysia'
import * as lifecycle from '../../../proto/http/sourcing/part-lifecycle.ts'
import * as operations from '../../../proto/http/sourcing/parts.ts'
import { batchOf, JsonText } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { PageReads } from '../../kit/pagination/page-reads.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { listHistory } from '../history/queries.ts'
import * as commands from './commands.ts'
import { findPage, findPageOrPart } from './list.ts'
import { findMetadata, findOwnPart, findPart, findParts } from './queries.ts'
import { metadataProblems } from './rules.ts'

type Deps = PageReads & { http: Http; pagination: Pagination }

export const partRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.parts' })
    .use(
      http.route(operations.listParts, ({ caller, query, request }) => {
        const reader = { orgId: caller.orgId, signal: request.signal }
        const paged = { caller, list: 'parts', query }
        return pagination.json(paged, (window) => findPage(deps, reader, { ...query, ...window }))
      }),
    )
    .use(http.command(operations.createPart, commands.createPart, { checkBody: metadataProblems }))
    .use(
      http.route(
        operations.getPart,
        async ({ caller, params }) =>
          new JsonText(found(await deps.reads.query((sql) => findPart(sql, caller.orgId, params.id))).document),
      ),
    )
    .use(
      http.route(lifecycle.findParts, ({ caller, query, request }) => {
        const reader = { orgId: caller.orgId, signal: request.signal }
        const paged = { caller, list: 'found parts', query }
        return pagination.json(paged, (window) => findPageOrPart(deps, reader, { ...query, ...window }))
      }),
    )
    .use(
      http.route(lifecycle.batchGetParts, async ({ caller, body: { ids }, request }) => {
        const reader = { orgId: caller.orgId, signal: request.signal }
        return batchOf(ids, await deps.tenantReads.bounded(reader, (sql) => findParts(sql, caller.orgId, ids)))
      }),
    )
    .use(
      http.route(operations.getPartMetadata, async ({ caller, params }) => {
        const { metadata } = found(await deps.reads.query((sql) => findMetadata(sql, caller.orgId, params.id)))
        return new JsonText(`{"metadata":${metadata}}`)
      }),
    )
    .use(
      http.route(operations.listPartHistory, async ({ caller, params, query }) => {
        const { id } = found(await deps.reads.query((sql) => findOwnPart(sql, caller.orgId, params.id)))
        const paged = { caller, list: `history ${id}`, query }
        return pagination.json(paged, (window) => deps.reads.query((sql) => listHistory(sql, id, window)))
      }),
    )
    .use(http.command(lifecycle.patchPart, commands.patchPart, { checkBody: metadataProblems }))
    .use(http.command(lifecycle.publishPart, (call) => commands.movePart('publish', call)))
    .use(http.command(lifecycle.archivePart, (call) => commands.movePart('archive', call)))
    .use(http.command(lifecycle.unarchivePart, (call) => commands.movePart('unarchive', call)))
    .use(http.command(lifecycle.deletePart, commands.deletePart))
