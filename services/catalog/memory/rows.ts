import type { TObject } from '@sinclair/typebox'

/** An entry in its public shape. */
export type Item = Readonly<Record<string, unknown>>

export type Row = Readonly<Record<string, unknown>>

/** The source of a catalog's current entries and the conversion of its rows, in list order, to public items. */
export interface RowFormat {
  /** View of the current version. */
  readonly view: string
  readonly columns: readonly string[]
  reader(): (row: Row) => Item
}

/** The default conversion: one snake-case column for each property; null is omitted. */
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

/** `standardCodes` becomes `standard_codes`. */
const columnOf = (property: string): string => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
