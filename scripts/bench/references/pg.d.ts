/** As much of pg as the reference server uses; the package brings no types of its own. */
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
