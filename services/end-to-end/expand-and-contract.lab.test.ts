import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureStreams } from '../kit/bus/nats/streams.ts'
import { connect } from '../kit/db/client.ts'
import { migrateTest, testDatabase } from '../testing/database.ts'
import { Deployment } from '../testing/deployment.ts'
import { MarketLoad } from '../testing/market-load.ts'
import { createFixtures } from '../testing/marketplace.ts'
import { natsServer } from '../testing/nats-server.ts'
import { spawnService } from '../testing/processes.ts'
import { WebhookReceiver } from '../testing/receiver.ts'
import { signInOverHttp } from '../testing/sign-in.ts'
import { until } from '../testing/until.ts'

setDefaultTimeout(400_000)
const nats = await natsServer()
await nats.start()
await ensureStreams({ url: nats.url })
afterAll(() => nats.close())
const db = await testDatabase()
const receiver = new WebhookReceiver()
const folder = await mkdtemp(join(tmpdir(), 'later-'))
afterAll(() => rm(folder, { recursive: true }))

const laterMigration = async (name: string, text: string) => {
  const path = join(folder, name)
  await writeFile(path, text)
  return { name, path }
}

test('a later release migrates under load, behind a long transaction: every request is answered, and both schemas serve', async () => {
  const env = { ALLOW_PRIVATE_ADDRESSES: 'true', RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_BURST: '100000' }
  const deployment = await Deployment.start({ db, natsUrl: nats.url, env })
  const fixtures = await createFixtures(db, signInOverHttp(deployment.url))
  const org = await fixtures.organization(['IP_OWNER', 'CONSUMER'])
  await receiver.subscribe(org.administrator.client, ['cases.created'])
  const load = new MarketLoad(org, deployment.url)
  await load.more(5)

  // A backup holds such a lock for hours.
  const reader = connect(db.ownerUrl, { max: 1, applicationName: 'test-backup' })
  const holding = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const backup = reader.begin(async (tx) => {
    await tx`lock table sourcing.parts in access share mode`
    holding.resolve()
    await release.promise
  })
  await holding.promise
  const applied: string[] = []
  const migration = migrateTest(db.ownerUrl, {
    log: (line) => applied.push(line),
    later: {
      sourcing: [
        await laterMigration('9001_finish.sql', 'alter table parts add column finish text;'),
        await laterMigration(
          '9002_finish.sql',
          '-- no transaction\ncreate index concurrently parts_finish on parts (finish);\n',
        ),
      ],
    },
  })
  const isWaiting = async () =>
    (await db.owner`select from pg_locks where not granted and relation = 'sourcing.parts'::regclass`).length > 0
  await until(isWaiting, { what: 'a migration that waits for the table' })
  await until(async () => !(await isWaiting()), { what: 'a migration that gives way' })
  await load.more(20)
  expect(applied).toEqual([])
  release.resolve()
  await backup
  await reader.end({ timeout: 1 })
  await migration
  expect(applied).toEqual(['sourcing 9001_finish.sql', 'sourcing 9002_finish.sql'])

  await load.more(20)
  await deployment.roll(['sourcing'])
  await load.more(5)
  await load.stop()
  expect(load.failures).toEqual([])
  // Postgres ends the statements of the services after five seconds.
  expect(load.longestMs).toBeLessThan(5000)
  await load.delivered(receiver)
  for (const end of await deployment.stop()) expect(end).toMatchObject({ exitCode: 0 })
})

test('a service whose schema is too old ends with one sentence, and with exit code 1', async () => {
  await db.owner`delete from sourcing.schema_migrations where name = '0011_assignments.sql'`
  const { child } = spawnService('sourcing', db)
  expect(await child.exited).toBe(1)
  expect(await child.stderr.text()).toBe(
    'The database lacks migrations of sourcing: 0011_assignments.sql. Run scripts/migrate first.\n',
  )
})
