import type { TObject, TSchema } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Operation } from '../../../proto/http/operation.ts'
import type { PageQuery } from '../../../proto/http/shapes.ts'
import type { Fragment, Sql } from '../../kit/db/client.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { documentForAll, findDocument, listSubrecords, type SubrecordKind } from './queries.ts'

interface SubrecordDeps {
  http: Http
  pagination: Pagination
}

/** Its operations have various paths and filters, so that the types of `params` and `query` are not known here. */
interface SubrecordReads {
  kind: SubrecordKind
  /** The name of its id in paths. */
  idName: string
  list: Operation<TObject, TObject, TSchema, TSchema>
  get: Operation<TObject, TObject, TSchema, TSchema>
  /** The parent, if the organization may read it. */
  findParent(sql: Sql, orgId: string, parentId: string): PromiseLike<readonly object[]>
  /** The JSON for an organization, on rows of `sourcing.subrecords`. Default: the same for all parties. */
  documentFor?(sql: Sql, orgId: string): Fragment
}

/** The list of one kind of records of an assignment or a case, and one of them. The parties to the parent read them. */
export const subrecordReads = (
  { http, pagination }: SubrecordDeps,
  { kind, idName, list, get, findParent, documentFor = documentForAll }: SubrecordReads,
) =>
  new Elysia({ name: `sourcing.subrecords.${kind}` })
    .use(
      http.route(list, async (context) => {
        const { caller, params, read } = context
        const parentId = (params as { id: string }).id
        found(await read((sql) => findParent(sql, caller.orgId, parentId)))
        const request = { ...context, query: context.query as unknown as PageQuery }
        return pagination.json(request, `${kind} ${parentId}`, (window, readPage) =>
          readPage((sql) => listSubrecords(sql, documentFor(sql, caller.orgId), { kind, parentId }, window)),
        )
      }),
    )
    .use(
      http.route(get, async ({ caller, params, read }) => {
        const { id: parentId, [idName]: id = '' } = params as Record<string, string> & { id: string }
        found(await read((sql) => findParent(sql, caller.orgId, parentId)))
        const { document } = found(
          await read((sql) => findDocument(sql, documentFor(sql, caller.orgId), { kind, parentId, id })),
        )
        return new JsonText(document)
      }),
    )
