/** A record as Postgres returns it, with null for a missing value. */
export type OrNull<Shape> = {
  [Name in keyof Shape]-?: undefined extends Shape[Name] ? NonNullable<Shape[Name]> | null : Shape[Name]
}

export type WithoutNulls<Row> = { [Name in keyof Row]: Exclude<Row[Name], null> }

/** A row as the API shows it: fields without a value are omitted. */
export const withoutNulls = <Row extends object>(row: Row): WithoutNulls<Row> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<Row>
