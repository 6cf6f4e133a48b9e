import type { TObject } from '@sinclair/typebox'

/** An entry as it is answered. */
export type Item = Readonly<Record<string, unknown>>

export type Row = Readonly<Record<string, unknown>>

/** Where a catalog's current entries are read from, and how its rows, in the order of its lists, become public items. */
export interface RowFormat {
  /** A view of the current version. */
  readonly view: string
  readonly columns: readonly string[]
  reader(): (row: Row) => Item
}

/** The plain way: a column of the view, in snake case, for each property of the item; null is left out. */
export function rowPerItem(view: string, item: TObject): RowFormat {
  const properties = Object.keys(item.properties).map((property) => [property, columnOf(property)] as const)
  return {
    view,
    columns: properties.map(([, column]) => column),
    reader: () => (row) =>
      Object.fromEntries(
        properties.flatMap(([property, column]) => (row[column] === null ? [] : [[property, row[column]]])),
      ),
  }
}

/** `standardCodes` is the column `standard_codes`. */
const columnOf = (property: string): string => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
