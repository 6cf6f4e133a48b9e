import * as lifecycle from '../../../proto/http/sourcing/part-lifecycle.ts'
import * as operations from '../../../proto/http/sourcing/parts.ts'
import { JsonText } from '../../kit/http/json.ts'
import { found } from '../../kit/http/refusal.ts'
import type { Http } from '../../kit/http/server.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { listHistory } from '../history/queries.ts'
import * as commands from './commands.ts'
import { findMetadata, findOwnPart, findPart } from './queries.ts'
import { findPage, type PartReads } from './search.ts'

type Deps = commands.CommandDeps & PartReads & { http: Http; pagination: Pagination }

export const partRoutes = ({ http, pagination, ...deps }: Deps) =>
  http
    .routes()
    .on(operations.listParts, async ({ caller, query, request }) => {
      const reader = { orgId: caller.orgId, signal: request.signal }
      const paged = { caller, list: 'parts', query }
      return new JsonText(await pagination.json(paged, (window) => findPage(deps, reader, { ...query, ...window })))
    })
    .on(operations.createPart, (call) => commands.createPart(deps, call))
    .on(
      operations.getPart,
      async ({ caller, params }) =>
        new JsonText(found(await deps.lane.ask((sql) => findPart(sql, caller.orgId, params.id))).document),
    )
    .on(operations.getPartMetadata, async ({ caller, params }) => {
      const { metadata } = found(await deps.lane.ask((sql) => findMetadata(sql, caller.orgId, params.id)))
      return new JsonText(`{"metadata":${metadata}}`)
    })
    .on(operations.listPartHistory, async ({ caller, params, query }) => {
      const { id } = found(await deps.lane.ask((sql) => findOwnPart(sql, caller.orgId, params.id)))
      const paged = { caller, list: `history ${id}`, query }
      return new JsonText(await pagination.json(paged, (window) => listHistory(deps.sql, id, window)))
    })
    .on(lifecycle.patchPart, (call) => commands.patchPart(deps, call))
    .on(lifecycle.publishPart, (call) => commands.movePart(deps, 'publish', call))
    .on(lifecycle.archivePart, (call) => commands.movePart(deps, 'archive', call))
    .on(lifecycle.unarchivePart, (call) => commands.movePart(deps, 'unarchive', call))
    .on(lifecycle.deletePart, (call) => commands.deletePart(deps, call))
