/** The parts of pg that the reference server uses; the package has no types. */
declare module 'pg' {
  interface Prepared {
    name: string
    text: string
    values: readonly unknown[]
  }
  class Pool {
    constructor(options: { connectionString: string; max: number })
    query<Row>(statement: Prepared): Promise<{ rows: Row[] }>
  }
  const pg: { Pool: typeof Pool }
  export default pg
}
