import { Gauge, type Registry } from 'prom-client'
import { clear } from '../metrics/gauges.ts'
import type { Pool } from './client.ts'

interface PoolMetrics {
  sql: Pool
  /** The largest number of connections. */
  size: number
  /** Whether this process measures what all replicas share. */
  isLeader(): boolean
}

/** Connections to Postgres. The states count all replicas of the service; one replica reports them. */
export function poolMetrics(registry: Registry, { sql, size, isLeader }: PoolMetrics): void {
  const registers = [registry]
  new Gauge({
    name: 'marketplace_database_pool_size',
    help: 'Connections to Postgres that this process may open.',
    registers,
  }).set(size)
  const byState = new Gauge({
    name: 'marketplace_database_connections',
    help: 'Connections to Postgres of all replicas of the service, by state.',
    labelNames: ['state'],
    registers,
  })
  const used = new Gauge({
    name: 'marketplace_database_server_connections',
    help: 'Connections to Postgres of all its users.',
    registers,
  })
  const limit = new Gauge({
    name: 'marketplace_database_server_connections_limit',
    help: 'Connections that Postgres accepts of users without privileges.',
    registers,
  })
  new Gauge({
    name: 'marketplace_database_up',
    help: 'Whether Postgres answers this process.',
    registers,
    async collect() {
      const measured = await measure(sql, isLeader()).catch(() => undefined)
      this.set(measured ? 1 : 0)
      for (const gauge of [byState, used, limit]) clear(gauge)
      for (const { state, count } of measured?.states ?? []) byState.labels(state).set(count)
      if (!measured?.server) return
      used.set(measured.server.used)
      limit.set(measured.server.limit)
    },
  })
}

async function measure(sql: Pool, isLeader: boolean) {
  if (!isLeader) {
    await sql`select 1`
    return {}
  }
  const [states, [server]] = await Promise.all([countConnections(sql), countAll(sql)])
  return { states, server }
}

const countConnections = (sql: Pool) => sql<{ state: string; count: number }[]>`
  select replace(state, ' ', '_') as state, count(*)::int as count from pg_stat_activity
  where usename = current_user and state is not null
  group by state`

const countAll = (sql: Pool) => sql<{ used: number; limit: number }[]>`
  select (select sum(numbackends)::int from pg_stat_database) as used,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - current_setting('reserved_connections')::int as limit`
