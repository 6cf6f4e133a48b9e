import type { Static, TObject } from '@sinclair/typebox'
import type { FileFormat } from './files/format.ts'
import type { RowFormat } from './memory/rows.ts'

/** The seven catalogs by the word of their paths, each after those whose entries it names. */
export const CATALOG_NAMES = [
  'technologies',
  'standards',
  'materials',
  'processes',
  'criticalities',
  'categories',
  'unspsc-categories',
] as const
export type CatalogName = (typeof CATALOG_NAMES)[number]

/** All there is to know of one catalog: what it serves, how it is narrowed, and what its file looks like. */
export interface Catalog<Filter extends string = string> {
  readonly name: CatalogName
  /** The table of its entries by version; an import writes it. */
  readonly table: string
  /** Where the service reads its current entries. */
  readonly rows: RowFormat
  /** The public shape of an entry. */
  readonly item: TObject
  /** What an entry is asked for by. */
  readonly key: 'id' | 'code'
  /** What orders its lists; the key stands in where it is missing, and breaks ties. */
  readonly orderBy: 'id' | 'code'
  /** Properties that a list can be narrowed by; they match exactly. */
  readonly filters: readonly Filter[]
  /** Properties in which `search` looks for a part, whatever the case. */
  readonly searched: readonly string[]
  /** Columns of the table that name entries of a catalog: no import leaves one that names nothing. */
  readonly references: readonly { column: string; to: CatalogName }[]
  readonly file: FileFormat
}

/** A catalog can only be narrowed and searched by properties that its entries have. */
export const defineCatalog = <Item extends TObject, const Filter extends keyof Static<Item> & string>(
  catalog: Catalog<Filter> & { item: Item; searched: readonly (keyof Static<Item> & string)[] },
): Catalog<Filter> => catalog
