import { afterAll } from 'bun:test'
import { SERVICES, type ServiceName } from '../../proto/services.ts'
import { connect, type Pool } from '../kit/db/client.ts'
import { roleOf } from '../kit/db/roles.ts'
import { migrate } from '../kit/migrate/migrate.ts'

export const TEMPLATE_DATABASE = 'marketplace_template'

export interface TestDatabase {
  name: string
  /** The owner's URL: for arranging and looking, never what a service under test signs in with. */
  ownerUrl: string
  owner: Pool
  /** What the service itself signs in with. */
  urlOf(service: ServiceName): string
  /** Runs before the database is dropped at the end of the file: what uses it leaves first. */
  beforeDrop(leave: () => Promise<unknown>): void
}

/** The URL of the real, throw-away Postgres that `scripts/test` starts. */
export function testServerUrl(): string {
  const url = process.env.TEST_DATABASE_URL
  if (!url) throw new Error('Run the tests with ./scripts/test: it starts the Postgres they need.')
  return url
}

/** A database of one's own, cloned from the migrated template; dropped when the test file ends. */
export const testDatabase = (): Promise<TestDatabase> => databaseMadeBy(clone)

/** The same with nothing in it, for tests of migrating. */
export const emptyTestDatabase = (): Promise<TestDatabase> =>
  databaseMadeBy(async (server, name) => {
    await server`create database ${server(name)}`
  })

async function databaseMadeBy(make: (server: Pool, name: string) => Promise<void>): Promise<TestDatabase> {
  const server = connect(testServerUrl(), { max: 1, applicationName: 'test-setup' })
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await make(server, name)
  const ownerUrl = withDatabase(testServerUrl(), name)
  const owner = connect(ownerUrl, { max: 4, applicationName: 'test-owner' })
  const leavers: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const leave of leavers) await leave()
    await owner.end({ timeout: 1 })
    await server`drop database if exists ${server(name)} with (force)`
    await server.end({ timeout: 1 })
  })
  return {
    name,
    ownerUrl,
    owner,
    urlOf: (service) => serviceUrl(ownerUrl, service),
    beforeDrop: (leave) => void leavers.push(leave),
  }
}

/**
 * Cloning needs the template to itself for a moment, so files that start together take turns. Its files are copied: page by
 * page through the journal takes twice as long.
 */
async function clone(server: Pool, name: string, triesLeft = 200): Promise<void> {
  try {
    await server`create database ${server(name)} template ${server(TEMPLATE_DATABASE)} strategy file_copy`
  } catch (error) {
    const busy = error instanceof Error && /being accessed by other users/.test(error.message)
    if (!busy || triesLeft === 0) throw error
    await Bun.sleep(50)
    await clone(server, name, triesLeft - 1)
  }
}

/** Passwords of the service roles on a throw-away server; each is its service's name. */
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

export function withDatabase(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

/** Makes the template anew: every migration, and nothing else. */
export async function buildTemplate(): Promise<string> {
  const server = connect(testServerUrl(), { max: 1, applicationName: 'test-template' })
  await server`drop database if exists ${server(TEMPLATE_DATABASE)} with (force)`
  await server`create database ${server(TEMPLATE_DATABASE)}`
  await server.end({ timeout: 1 })
  const url = withDatabase(testServerUrl(), TEMPLATE_DATABASE)
  await migrate({ url, passwords: testPasswords })
  return url
}
