import { Elysia } from 'elysia'
import * as lifecycle from '../../../proto/http/sourcing/part-lifecycle.ts'
import * as operations from '../../../proto/http/sourcing/parts.ts'
import { batchOf, JsonText } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { listHistory } from '../history/queries.ts'
import { type PicturedRow, picturedPart, picturedParts } from '../renderings/documents.ts'
import type { Pictures } from '../renderings/pictures.ts'
import * as commands from './commands.ts'
import type { PartDeps } from './followers.ts'
import { findPage, findPageOrPart } from './list.ts'
import { findMetadata, findOwnOrPublicPart, findOwnPart, findPart, findParts } from './queries.ts'
import { metadataProblems } from './rules.ts'

type Deps = PartDeps & RouteKit & { pictures: Pictures }

export const partRoutes = ({ http, pagination, pictures, ...deps }: Deps) => {
  const measured = ({ caller, now }: { caller: { orgId: string }; now: string }) => pictures.ofPart(caller.orgId, now)
  const pictured = <Row extends PicturedRow>({ now }: { now: string }, rows: readonly Row[]) =>
    picturedParts(rows, { pictures, now })
  return new Elysia({ name: 'sourcing.parts' })
    .use(
      http.route(operations.listParts, (context) =>
        pagination.json(context, 'parts', async (window, read) =>
          pictured(context, await findPage(context, read, { ...context.query, ...window })),
        ),
      ),
    )
    .use(http.command(operations.createPart, commands.createPart, { checkBody: metadataProblems }))
    .use(
      http.route(operations.getPart, async (context) => {
        const { caller, params, read, now } = context
        const [plain] = await read((sql) => findOwnOrPublicPart(sql, caller.orgId, params.id))
        const row = plain ?? found(await read((sql) => findPart(sql, caller.orgId, params.id, measured(context))))
        return picturedPart(row, { pictures, now })
      }),
    )
    .use(
      http.route(lifecycle.findParts, (context) =>
        pagination.json(context, 'found parts', async (window, read) =>
          pictured(
            context,
            await findPageOrPart(context, read, { ...context.query, ...window, measured: measured(context) }),
          ),
        ),
      ),
    )
    .use(
      http.route(lifecycle.batchGetParts, async (context) => {
        const { caller, body, longRead } = context
        return batchOf(
          body.ids,
          pictured(context, await longRead((sql) => findParts(sql, caller.orgId, body.ids, measured(context)))),
        )
      }),
    )
    .use(
      http.route(operations.getPartMetadata, async ({ caller, params, read }) => {
        const { metadata } = found(await read((sql) => findMetadata(sql, caller.orgId, params.id)))
        return new JsonText(`{"metadata":${metadata}}`)
      }),
    )
    .use(
      http.route(operations.listPartHistory, (context) =>
        pagination.ofRecord(context, 'history', findOwnPart, listHistory),
      ),
    )
    .use(http.command(lifecycle.patchPart, commands.patchPart, { checkBody: metadataProblems }))
    .use(http.command(lifecycle.publishPart, (call) => commands.movePart('publish', call)))
    .use(http.command(lifecycle.archivePart, (call) => commands.movePart('archive', call)))
    .use(http.command(lifecycle.unarchivePart, (call) => commands.movePart('unarchive', call)))
    .use(http.command(lifecycle.deletePart, (call) => commands.deletePart(deps, call)))
}
