import type { Static, TObject } from '@sinclair/typebox'
import type { FileFormat } from './files/format.ts'
import type { RowFormat } from './memory/rows.ts'

/** The seven catalogs, named as in their paths. Each comes after the catalogs that it refers to. */
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

/** The declaration of one catalog: its shape, filters and file format. */
export interface Catalog<Filter extends string = string> {
  readonly name: CatalogName
  /** Table of the entries by version, written by imports. */
  readonly table: string
  /** Source of the current entries. */
  readonly rows: RowFormat
  /** The public shape of an entry. */
  readonly item: TObject
  /** Property that identifies an entry. */
  readonly key: 'id' | 'code'
  /** A further property that no two entries share. */
  readonly alsoUnique?: 'code'
  /** Property by which lists are ordered; the key replaces a missing value and breaks ties. */
  readonly orderBy: 'id' | 'code'
  /** Properties for exact filters. */
  readonly filters: readonly Filter[]
  /** Properties that `search` covers, case-insensitively. */
  readonly searched: readonly string[]
  /** Columns that refer to entries of a catalog. Imports keep these references valid. */
  readonly references: readonly { column: string; to: CatalogName }[]
  readonly file: FileFormat
}

/** Filters and searches can only use properties of the entries. */
export const defineCatalog = <Item extends TObject, const Filter extends keyof Static<Item> & string>(
  catalog: Catalog<Filter> & { item: Item; searched: readonly (keyof Static<Item> & string)[] },
): Catalog<Filter> => catalog
