import { afterAll } from 'bun:test'
import { SERVICES, type ServiceName } from '../../proto/services.ts'
import { connect, type Pool } from '../kit/db/client.ts'
import { roleOf } from '../kit/db/roles.ts'
import { migrate } from '../kit/migrate/migrate.ts'

const TEMPLATE_DATABASE = 'marketplace_template'

export interface TestDatabase {
  name: string
  /** URL of the owner role, for set-up and assertions; services under test use `urlOf`. */
  ownerUrl: string
  owner: Pool
  /** URL of the role of a service. */
  urlOf(service: ServiceName): string
  /** The same on a standby for reads. */
  readUrlOf?(service: ServiceName): string
  /** Registers a function that closes connections before the database is dropped at the end of the file. */
  beforeDrop(close: () => Promise<unknown>): void
}

/** The URL of the temporary Postgres server that `scripts/test` starts. */
export function testServerUrl(): string {
  const url = process.env.TEST_DATABASE_URL
  if (!url) throw new Error('Run the tests with ./scripts/test: it starts the Postgres server.')
  return url
}

/** A database cloned from the migrated template, dropped at the end of the test file. */
export const testDatabase = (): Promise<TestDatabase> => databaseCreatedBy(clone)

/** An empty database, for tests of migrations. */
export const emptyTestDatabase = (): Promise<TestDatabase> =>
  databaseCreatedBy(async (server, name) => {
    await server`create database ${server(name)} owner ${server(OWNER)}`
  })

/** The owner of the test databases, who migrates them: no superuser, as in managed clouds. */
export const OWNER = 'marketplace_owner'

/** Migrates a test database as its owner. All databases of the server share the roles. */
export const migrateTest = (url: string, options: Partial<Parameters<typeof migrate>[0]> = {}) =>
  migrate({ url: asOwner(url), passwords: testPasswords, installation: 'test', ...options })

/** The URL of a test database for its owner. */
export function asOwner(serverUrl: string): string {
  const url = new URL(serverUrl)
  url.username = OWNER
  url.password = OWNER
  return url.href
}

async function databaseCreatedBy(make: (server: Pool, name: string) => Promise<void>): Promise<TestDatabase> {
  const server = connect(testServerUrl(), { max: 1, applicationName: 'test-setup' })
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await make(server, name)
  const ownerUrl = withDatabase(testServerUrl(), name)
  const owner = connect(ownerUrl, { max: 4, applicationName: 'test-owner' })
  const closers: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const close of closers) await close()
    await owner.end({ timeout: 1 })
    await server`drop database if exists ${server(name)} with (force)`
    await server.end({ timeout: 1 })
  })
  return {
    name,
    ownerUrl,
    owner,
    urlOf: (service) => serviceUrl(ownerUrl, service),
    beforeDrop: (close) => void closers.push(close),
  }
}

/**
 * Cloning requires that no other session uses the template, so concurrent test files retry. Copying the files takes
 * half the time of the default strategy, which writes every page to the WAL.
 */
async function clone(server: Pool, name: string, triesLeft = 200): Promise<void> {
  try {
    await server`create database ${server(name)} template ${server(TEMPLATE_DATABASE)} owner ${server(OWNER)} strategy file_copy`
  } catch (error) {
    const busy = error instanceof Error && /being accessed by other users/.test(error.message)
    if (!busy || triesLeft === 0) throw error
    await Bun.sleep(50)
    await clone(server, name, triesLeft - 1)
  }
}

/** The password of each service role is the name of the service. */
export const testPasswords = Object.fromEntries(SERVICES.map((service) => [service, service])) as Record<
  ServiceName,
  string
>

export function serviceUrl(ownerUrl: string, service: ServiceName): string {
  const url = new URL(ownerUrl)
  url.username = roleOf(service)
  url.password = testPasswords[service]
  return url.href
}

/** The same database through the pooler of `bun run rehearse pooler`, if it runs. */
export function throughPooler(url: string): string {
  const pooled = new URL(url)
  if (process.env.TEST_POOLER) pooled.host = process.env.TEST_POOLER
  return pooled.href
}

export function withDatabase(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

/** Recreates the template database and runs every migration. */
export async function buildTemplate(): Promise<string> {
  const server = connect(testServerUrl(), { max: 1, applicationName: 'test-template' })
  await server`drop database if exists ${server(TEMPLATE_DATABASE)} with (force)`
  const [owner] = await server`select from pg_roles where rolname = ${OWNER}`
  if (!owner) await server.unsafe(`create role ${OWNER} login createrole password '${OWNER}'`)
  await server`create database ${server(TEMPLATE_DATABASE)} owner ${server(OWNER)}`
  await server.end({ timeout: 1 })
  const url = withDatabase(testServerUrl(), TEMPLATE_DATABASE)
  await migrateTest(url)
  return url
}
