import { Counter, Gauge, type Registry } from 'prom-client'
import { measuredGauges } from '../metrics/gauges.ts'
import type { Pool } from './client.ts'

interface PoolMetrics {
  sql: Pool
  /** The largest number of connections. */
  size: number
  /** Whether this process measures the values that all replicas share. */
  isLeader(): boolean
}

/** Connections to Postgres. Only one replica of the service reports the values that all replicas share. */
export function poolMetrics(registry: Registry, { sql, size, isLeader }: PoolMetrics): void {
  new Gauge({
    name: 'marketplace_database_pool_size',
    help: 'Connections to Postgres that this process may open.',
    registers: [registry],
  }).set(size)
  const gauge = measuredGauges(registry, () => measure(sql, isLeader()))
  gauge('marketplace_database_up', 'Whether Postgres answers this process.', [], (to, measured) =>
    to.set(measured ? 1 : 0),
  )
  gauge(
    'marketplace_database_connections',
    'Connections to Postgres of all replicas of the service, by state.',
    ['state'],
    (to, measured) => {
      for (const { state, count } of measured?.states ?? []) to.labels(state).set(count)
    },
  )
  gauge('marketplace_database_server_connections', 'Connections to Postgres of all its users.', [], (to, measured) => {
    if (measured?.server) to.set(measured.server.used)
  })
  gauge(
    'marketplace_database_server_connections_limit',
    'Connections that Postgres accepts of users without privileges.',
    [],
    (to, measured) => {
      if (measured?.server) to.set(measured.server.limit)
    },
  )
}

/** Whether the Postgres of the other services answers, for a service with a Postgres of its own. */
export function sharedMetrics(registry: Registry, shared: Pool): void {
  const gauge = measuredGauges(registry, () => shared`select 1`)
  gauge(
    'marketplace_shared_database_up',
    'Whether the Postgres of the other services answers this process, if the service has a Postgres of its own.',
    [],
    (to, measured) => to.set(measured ? 1 : 0),
  )
}

/** Counts the reads that a standby may serve. */
export function readMetrics(registry: Registry): (server: 'primary' | 'standby') => void {
  const counter = new Counter({
    name: 'marketplace_database_reads_total',
    help: 'Reads that a standby may serve, by the server that answered.',
    labelNames: ['server'],
    registers: [registry],
  })
  const children = { primary: counter.labels('primary'), standby: counter.labels('standby') }
  return (server) => children[server].inc()
}

interface Measured {
  states: { state: string; count: number }[]
  server: { used: number; limit: number } | undefined
}

async function measure(sql: Pool, isLeader: boolean): Promise<Measured> {
  if (isLeader) {
    const [states, [server]] = await Promise.all([countConnections(sql), countAll(sql)])
    return { states, server }
  }
  await sql`select 1`
  return { states: [], server: undefined }
}

const countConnections = (sql: Pool) => sql<{ state: string; count: number }[]>`
  select replace(state, ' ', '_') as state, count(*)::int as count from pg_stat_activity
  where usename = current_user and state is not null
  group by state`

const countAll = (sql: Pool) => sql<{ used: number; limit: number }[]>`
  select (select sum(numbackends)::int from pg_stat_database) as used,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - current_setting('reserved_connections')::int as limit`
