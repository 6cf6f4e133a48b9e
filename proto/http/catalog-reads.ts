import type { TSchema } from '@sinclair/typebox'
import type { Tag } from './operation.ts'
import { BatchOf, ItemsOf, pathParam } from './shapes.ts'

interface CatalogOptions<Key extends 'id' | 'code', Shape extends TSchema> {
  /** The path of the list. */
  path: string
  tag: Tag
  /** The field that is the key of a record. */
  key: Key
  /** The description of the key in a path. */
  keyOf: string
  /** Keys of records. */
  examples: [string, ...string[]]
  response: Shape
}

/** The common fields of the operations of a catalog: list, get and batch get. */
export const catalogReads = <const Key extends 'id' | 'code', Shape extends TSchema>({
  path,
  tag,
  key,
  keyOf,
  examples,
  response,
}: CatalogOptions<Key, Shape>) =>
  ({
    list: { method: 'GET', path, tag, access: 'token', etag: true },
    get: {
      method: 'GET',
      path: `${path}/{${key}}`,
      tag,
      description: 'An unknown id is 404.',
      access: 'token',
      params: pathParam(key, keyOf, examples[0]),
      response,
      etag: true,
    },
    batchGet: {
      method: 'POST',
      path: `${path}:batch-get`,
      tag,
      description: 'Up to 100, in the order requested, each once. Unknown and inaccessible ones are omitted.',
      access: 'token',
      body: BatchOf(`${key}s`, examples),
      response: ItemsOf(response),
    },
  }) as const
