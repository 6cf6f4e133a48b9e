import { connect, type Pool } from '../../../services/kit/db/client.ts'

interface Connection {
  databaseUrl: string
  /** The schema of names without one. */
  searchPath: string
  max?: number
}

/** Runs the work with a connection to the database. */
export async function withDatabase<T>(
  { databaseUrl, searchPath, max = 1 }: Connection,
  work: (sql: Pool) => PromiseLike<T>,
): Promise<T> {
  const sql = connect(databaseUrl, { max, applicationName: 'operator', searchPath })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
