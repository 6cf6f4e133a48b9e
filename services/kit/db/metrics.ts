import { Gauge, type Registry } from 'prom-client'
import type { Pool } from './client.ts'

interface PoolMetrics {
  sql: Pool
  /** The largest number of connections. */
  size: number
}

/** Connections of a service to Postgres. The states count all replicas; they are absent while the database is unavailable. */
export function poolMetrics(registry: Registry, { sql, size }: PoolMetrics): void {
  new Gauge({
    name: 'database_pool_size',
    help: 'Connections to Postgres that this process may open.',
    registers: [registry],
  }).set(size)
  new Gauge({
    name: 'database_connections',
    help: 'Connections to Postgres of all replicas of the service, by state.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const states = await countConnections(sql).catch(() => [])
      this.reset()
      for (const { state, count } of states) this.labels(state).set(count)
    },
  })
}

const countConnections = (sql: Pool) => sql<{ state: string; count: number }[]>`
  select replace(state, ' ', '_') as state, count(*)::int as count from pg_stat_activity
  where usename = current_user and state is not null
  group by state`
