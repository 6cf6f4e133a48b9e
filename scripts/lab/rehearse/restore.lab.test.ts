import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureStreams } from '../../../services/kit/bus/nats/streams.ts'
import { Deployment } from '../../../services/testing/deployment.ts'
import { MarketLoad } from '../../../services/testing/market-load.ts'
import { createFixtures } from '../../../services/testing/marketplace.ts'
import { natsServer } from '../../../services/testing/nats-server.ts'
import { WebhookReceiver } from '../../../services/testing/receiver.ts'
import { signInOverHttp, TEST_PASSWORD } from '../../../services/testing/sign-in.ts'
import { until } from '../../../services/testing/until.ts'
import { importDefaults } from '../../commands/operator/catalog.ts'
import { BUN, ROOT } from '../../toolchain/checkout.ts'
import { run } from '../../toolchain/run.ts'
import { backUp, giveToPostgres, migrateAsOwner, passwordsOf, rehearsalFolder, startServer } from './server.ts'

setDefaultTimeout(300_000)
const folder = await rehearsalFolder('restore')
afterAll(() => rm(folder, { recursive: true, force: true }))
const env = {
  ALLOW_PRIVATE_ADDRESSES: 'true',
  RATE_LIMIT_PER_SECOND: '100000',
  RATE_LIMIT_BURST: '100000',
}
/** A segment appears under its name when it is complete. */
const archivingTo = (archive: string) => ({
  archive_mode: 'on',
  archive_command: `cp %p ${archive}/%f.new && mv ${archive}/%f.new ${archive}/%f`,
  wal_level: 'replica',
})

const script = async (path: string, words: string[], variables: Record<string, string>) => {
  const { code, output } = await run([BUN, join(ROOT, path), ...words], {
    env: { PATH: process.env.PATH, ...variables },
    timeoutMs: 120_000,
  })
  expect([code, output]).toEqual([0, expect.any(String)])
  return output
}

test.each(['postgres', 'nats'] as const)(
  'on the %s bus: killed and restored on another server, it has every acknowledged change, delivers every event and plays a trade',
  async (bus) => {
    const lost = bus === 'nats' ? await natsServer() : undefined
    await lost?.start()
    if (lost) await ensureStreams({ url: lost.url })
    const archive = await rehearsalFolder(`restore/${bus}-archive`)
    const first = await startServer(folder, `${bus}-first`, archivingTo(archive))
    await migrateAsOwner(first.db, passwordsOf(''))
    await importDefaults(first.db.ownerUrl)
    const deployment = await Deployment.start({ db: first.db, natsUrl: lost?.url, env, replicas: 1 })
    const fixtures = await createFixtures(first.db, signInOverHttp(deployment.url))
    const operator = (await fixtures.operator()).administrator
    const org = await fixtures.organization(['IP_OWNER', 'CONSUMER'])
    const receiver = new WebhookReceiver()
    await receiver.subscribe(org.administrator.client, ['cases.created'])
    const load = new MarketLoad(org, deployment.url)
    await load.more(5)
    const target = join(folder, `${bus}-second`)
    await backUp(first.db.ownerUrl, first.data, target)
    const backedUpAt = new Date(Date.now() - 3_600_000).toISOString()
    await load.more(20)

    // A crash of everything, with the load running: only the archive and the journal's volume remain.
    await deployment.kill()
    await first.kill()
    await lost?.close()
    await load.stop()

    const journal = join(first.data, 'pg_wal')
    await Bun.write(join(target, 'recovery.signal'), '')
    await giveToPostgres(target)
    const restoreCommand = `cp ${archive}/%f %p || cp ${journal}/%f %p`
    const second = await startServer(folder, `${bus}-second`, { restore_command: restoreCommand })
    await until(
      async () => {
        const [row] = await second.db.owner<{ recovering: boolean }[]>`select pg_is_in_recovery() as recovering`
        return row?.recovering === false
      },
      { withinMs: 60_000, what: 'the end of the recovery' },
    )
    const nats = bus === 'nats' ? await natsServer() : undefined
    await nats?.start()
    if (nats) await ensureStreams({ url: nats.url })
    const republished = await script('scripts/commands/republish/main.ts', ['--since', backedUpAt], {
      DATABASE_URL: second.db.ownerUrl,
    })
    expect(republished).toMatch(/^sourcing: \d+ events will be published again$/m)

    const restored = await Deployment.start({ db: second.db, natsUrl: nats?.url, env, replicas: 1 })
    const ids = async (rows: Promise<Iterable<{ id: string }>>) => new Set([...(await rows)].map(({ id }) => id))
    const cases = await ids(second.db.owner<{ id: string }[]>`select id from sourcing.cases`)
    const parts = await ids(second.db.owner<{ id: string }[]>`select id from sourcing.parts`)
    expect([...load.cases].filter((id) => !cases.has(id))).toEqual([])
    expect([...load.parts].filter((id) => !parts.has(id))).toEqual([])
    await load.delivered(receiver)
    const story = await script('scripts/commands/demo/main.ts', ['--url', restored.url, '--operator', operator.email], {
      PASSWORD: TEST_PASSWORD,
    })
    expect(story).toMatch(/finds its orders of the package: O-\w{8} is PLACED\n$/)
    for (const end of await restored.stop()) expect(end).toMatchObject({ exitCode: 0 })
    await second.stop()
    await nats?.close()
  },
)
