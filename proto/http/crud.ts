import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { Permission } from '../permissions.ts'
import { operationId, type Tag } from './operation.ts'
import { PageOf, pageQuery } from './shapes.ts'

interface CrudOptions<
  Name extends string,
  Params extends TObject,
  Input extends TObject,
  Patch extends TSchema,
  Shape extends TSchema,
> {
  /** The first words of the procedures. */
  name: Name
  /** The path of the collection. */
  path: string
  tag: Tag
  /** The access of list and get, and that of the others. */
  access: { read: 'token' | Permission; write: Permission }
  /** The parameters of one record. Its id is the last. */
  params: Params
  input: Input
  patch: Patch
  response: Shape
  /** The name of a new id in the audit log, where the collection has no parent. */
  idName?: string
  /** The fields of the body that the audit log has. Default: those of the input. */
  logged?: { create: readonly string[]; patch: readonly string[] }
}

/** The common fields of a paged list without filters. */
export const listOf = <Shape extends TSchema>(item: Shape) =>
  ({ method: 'GET', query: Type.Object(pageQuery), response: PageOf(item) }) as const

/**
 * The common fields of the operations of a record: list, get, create, patch and delete. The collection of a
 * parent adds its `params` to list and create.
 */
export function crudOf<
  const Name extends string,
  Params extends TObject,
  Input extends TObject,
  Patch extends TSchema,
  Shape extends TSchema,
>({
  name,
  path,
  tag,
  access: { read, write },
  params,
  input,
  patch,
  response,
  idName,
  logged = { create: Object.keys(input.properties), patch: Object.keys(input.properties) },
}: CrudOptions<Name, Params, Input, Patch, Shape>) {
  const ids = Object.keys(params.properties)
  const one = { path: `${path}/{${ids.at(-1)}}`, tag, params }
  return {
    list: { ...listOf(response), path, tag, access: read },
    get: {
      ...one,
      id: operationId('get', name),
      method: 'GET',
      description: 'An unknown id and one outside your scope are the same 404.',
      access: read,
      response,
      etag: true,
    },
    create: {
      id: operationId('create', name),
      method: 'POST',
      path,
      tag,
      access: write,
      body: input,
      status: 201,
      response,
      audit: { procedure: `${name}.create`, request: [...(idName ? [idName] : ids), ...logged.create] },
    },
    patch: {
      ...one,
      id: operationId('patch', name),
      method: 'PATCH',
      access: write,
      body: patch,
      response,
      ifMatch: true,
      audit: { procedure: `${name}.patch`, request: [...ids, ...logged.patch] },
    },
    delete: {
      ...one,
      id: operationId('delete', name),
      method: 'DELETE',
      access: write,
      status: 204,
      audit: { procedure: `${name}.delete`, request: ids },
    },
  } as const
}
