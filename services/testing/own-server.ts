import { afterAll } from 'bun:test'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startCluster } from '../../scripts/toolchain/cluster.ts'
import { findState } from '../../scripts/toolchain/state.ts'
import { connect } from '../kit/db/client.ts'
import { migrateTest, OWNER, serviceUrl, type TestDatabase } from './database.ts'

/** An empty Postgres server only for webhooks. It has an owner, and none of the roles of the services. */
export async function emptyServer(): Promise<TestDatabase> {
  const state = await findState()
  const base = join(process.env.TEST_FOLDER ?? state.folder, 'own-servers')
  const name = `own-${crypto.randomUUID().slice(0, 8)}`
  const folder = join(base, name)
  await mkdir(folder, { recursive: true })
  for (const one of [base, folder]) await chmod(one, 0o711)
  const cluster = await startCluster({
    state,
    data: join(folder, 'data'),
    password: 'postgres',
    logFile: join(folder, 'postgres.log'),
    settings: { fsync: 'off', shared_buffers: '16MB', scram_iterations: '1' },
    progress() {},
  })
  const ownerUrl = cluster.urlOf('postgres')
  const owner = connect(ownerUrl, { max: 2, applicationName: 'test-owner' })
  await owner.unsafe(`create role ${OWNER} login createrole password '${OWNER}'`)
  await owner`alter database postgres owner to ${owner(OWNER)}`
  const closers: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const close of closers) await close()
    await owner.end({ timeout: 1 })
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    name,
    ownerUrl,
    owner,
    urlOf: (service) => serviceUrl(ownerUrl, service),
    beforeDrop: (close) => void closers.push(close),
  }
}

/** A server of webhooks alone, beside the migrated database of the others, which loses the schema of webhooks. */
export async function serverOfWebhooks(main: TestDatabase): Promise<TestDatabase> {
  const own = await emptyServer()
  await migrateTest(main.ownerUrl, { part: 'others' })
  await main.owner`drop schema webhooks cascade`
  await migrateTest(own.ownerUrl, { part: 'webhooks' })
  return own
}
