import type { TObject, TSchema } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Operation } from '../../../proto/http/operation.ts'
import type { Fragment, Sql } from '../../kit/db/client.ts'
import { documentOf } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { documentForAll, findDocument, ID_NAMES, listSubrecords, type SubrecordKind } from './queries.ts'

/** The parent, if the organization may read it. */
type FindParent = (sql: Sql, orgId: string, parentId: string) => PromiseLike<readonly object[]>

/** Its operations have various paths and filters, so that the types of `params` and `query` are not known here. */
interface SubrecordReads {
  list: Operation<TObject, TObject, TSchema, TSchema>
  get: Operation<TObject, TObject, TSchema, TSchema>
  /** The JSON for an organization, on rows of `sourcing.subrecords`. Default: the same for all parties. */
  documentFor?(sql: Sql, orgId: string): Fragment
}

/** The list of one kind of records of an assignment or a case, and one of them. The parties to the parent read them. */
export const subrecordReads =
  ({ http, pagination }: RouteKit, findParent: FindParent) =>
  (kind: SubrecordKind, { list, get, documentFor = documentForAll }: SubrecordReads) =>
    new Elysia({ name: `sourcing.subrecords.${kind}` })
      .use(
        http.route(list, (context) => {
          const request = context as unknown as Parameters<Pagination['ofRecord']>[0]
          return pagination.ofRecord(request, kind, findParent, (sql, parentId, window) =>
            listSubrecords(sql, documentFor(sql, context.caller.orgId), { kind, parentId }, window),
          )
        }),
      )
      .use(
        http.route(get, async ({ caller, params, read }) => {
          const { id: parentId, [ID_NAMES[kind]]: id = '' } = params as Record<string, string> & { id: string }
          found(await read((sql) => findParent(sql, caller.orgId, parentId)))
          return documentOf(
            await read((sql) => findDocument(sql, documentFor(sql, caller.orgId), { kind, parentId, id })),
          )
        }),
      )
