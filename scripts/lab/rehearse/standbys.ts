import { join } from 'node:path'
import postgres from 'postgres'
import type { Pool, Sql } from '../../../services/kit/db/client.ts'
import { connectService } from '../../../services/kit/db/connections.ts'
import { createLog } from '../../../services/kit/log/log.ts'
import { backUp, giveToPostgres, type RehearsalServer, startServer } from './server.ts'

/** Starts standbys of a primary. */
export function standbysOf(folder: string, primary: RehearsalServer) {
  const { hostname, port, username, password } = new URL(primary.db.ownerUrl)
  const startStandby = (name: string) =>
    startServer(folder, name, {
      primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
      // A read that needs rows which the primary has vacuumed is cancelled immediately.
      max_standby_streaming_delay: '0',
    })
  return {
    startStandby,
    /** Makes a standby of a backup and starts it. */
    async newStandby(name: string): Promise<RehearsalServer> {
      const target = join(folder, name)
      await backUp(primary.db.ownerUrl, primary.data, target)
      await Bun.write(join(target, 'standby.signal'), '')
      await giveToPostgres(target)
      return startStandby(name)
    },
  }
}

/** Asks a standby itself, again where the replay cancels the query. */
export async function askAgain<T>(owner: Pool, query: (sql: Sql) => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await query(owner)
    } catch (error) {
      if (!(error instanceof postgres.PostgresError && error.code === '40001')) throw error
    }
  }
}

/** Connections of a service, with the servers that have answered its reads. */
export function connectionsTo(primaryUrl: string, standbyUrl: string) {
  const answered: string[] = []
  const log = createLog({ service: 'test', version: '0', level: 'silent' })
  const standby = { url: standbyUrl, log, onRead: (server: string) => void answered.push(server) }
  return { answered, ...connectService(primaryUrl, { size: 4, applicationName: 'test-reads', standby }) }
}

/** The running reads of such connections that sleep. */
export const activeReads = async (sql: Sql) => sql`
  select from pg_stat_activity
  where application_name = 'test-reads' and state = 'active' and query like '%pg_sleep%'`
