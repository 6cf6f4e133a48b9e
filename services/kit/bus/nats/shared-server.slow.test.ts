import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  createEffects,
  effectsOf,
  emitValue,
  openBus,
  record,
  subscribed,
  until,
} from '../../../testing/bus/harness.ts'
import { emptyTestDatabase, migrateTest, testDatabase } from '../../../testing/database.ts'
import { natsServer } from '../../../testing/nats-server.ts'
import { connectOnce } from './connection.ts'
import { ensureStreams, missingStreams, requireStreams } from './streams.ts'

/** Two installations on one server of NATS. */
setDefaultTimeout(60_000)
const server = await natsServer()
await server.start()
afterAll(() => server.close())
const { url } = server
const TYPE = 'sourcing.part.created'

test('with a prefix each, both deliver their own events and heartbeats alone', async () => {
  const [first, second] = [await testDatabase(), await emptyTestDatabase()]
  await migrateTest(second.ownerUrl)
  await ensureStreams({ url, installation: 'installation_1' })
  await ensureStreams({ url, installation: 'installation_2', prefix: 'other' })
  const members = await Promise.all(
    [
      { urlOf: first.urlOf, natsUrl: url },
      { urlOf: second.urlOf, natsUrl: url, natsPrefix: 'other' },
    ].map(async (address) => [await openBus(address, 'sourcing'), await openBus(address, 'webhooks')] as const),
  )
  const received: string[][] = [[], []]
  for (const [at, [sourcing, webhooks]] of members.entries()) {
    await createEffects([first, second][at]?.owner as typeof first.owner)
    webhooks.start(webhooks.bus.consume({ name: 'parts', subjects: [TYPE], handle: record }))
    await webhooks.bus.subscribe({
      subjects: subscribed('sourcing.>'),
      onEvent: ({ subject }) => received[at]?.push(subject),
      onGap: () => {},
    })
    // Only the second installation has a relay at first, so only its services hear a heartbeat.
    if (at === 1) sourcing.start(sourcing.bus.relay())
  }
  const [[ours, oursWebhooks], [theirs, theirsWebhooks]] = members as [(typeof members)[0], (typeof members)[0]]
  await until(() => theirsWebhooks.bus.lastHeartbeat('sourcing') > 0)
  expect(oursWebhooks.bus.lastHeartbeat('sourcing')).toBe(Number.NEGATIVE_INFINITY)
  ours.start(ours.bus.relay())
  await emitValue(ours.pool, TYPE, 'part_1', 1)
  await emitValue(theirs.pool, TYPE, 'part_2', 2)
  for (const [at, db] of [first, second].entries()) {
    await until(async () => (await effectsOf(db.owner, TYPE)).length > 0)
    expect(await effectsOf(db.owner, TYPE)).toMatchObject([{ value: at + 1 }])
    await until(() => received[at]?.length === 1)
    expect(received[at]).toEqual([`part_${at + 1}`])
  }
  await Promise.all(members.flat().map((member) => member.stop()))
})

test('the streams of another installation are refused and left as they are', async () => {
  await ensureStreams({ url, prefix: 'taken', installation: 'installation_1', maxAgeDays: 9 })
  await expect(ensureStreams({ url, prefix: 'taken', installation: 'installation_2' })).rejects.toThrow(
    'The NATS stream taken_DOMAIN belongs to another owner (marketplace installation installation_1). Choose another NATS_PREFIX',
  )
  const { nc, jsm } = await connectOnce({ url }, 'looking')
  const { config } = await jsm.streams.info('taken_DOMAIN')
  expect([config.max_age, config.description]).toEqual([9 * 86_400 * 1e9, 'marketplace installation installation_1'])
  await ensureStreams({ url, prefix: 'taken', installation: 'installation_1' })
  await nc.close()
})

test('subjects that another stream has are refused in a sentence', async () => {
  const { nc, jsm } = await connectOnce({ url }, 'stranger')
  await jsm.streams.add({ name: 'STRANGER', subjects: ['overlap.>'] })
  await expect(ensureStreams({ url, prefix: 'overlap' })).rejects.toThrow(
    'NATS refuses the stream overlap_DOMAIN: subjects overlap with an existing stream.',
  )
  await nc.close()
})

test('streams of an administrator are checked, and their missing settings named', async () => {
  const prefix = 'checked'
  await expect(requireStreams({ url, prefix })).rejects.toThrow(
    'checked_DOMAIN is missing, with subjects=checked.identity.>,checked.catalog.>,checked.sourcing.>,checked.organization.>,checked.webhooks.>, storage=file, retention=limits, discard=new, max-age=7d or more, replicas=1, dupe-window=5m or more; checked_NOTIFICATIONS is missing',
  )
  await ensureStreams({ url, prefix })
  await requireStreams({ url, prefix })
  const { nc, jsm } = await connectOnce({ url }, 'administrator')
  const { config } = await jsm.streams.info('checked_DOMAIN')
  await jsm.streams.update('checked_DOMAIN', { ...config, max_age: 86_400 * 1e9, discard: 'old' as never })
  await expect(requireStreams({ url, prefix })).rejects.toThrow(
    'The streams of NATS are incomplete: checked_DOMAIN must have discard=new; checked_DOMAIN must have max-age=7d or more.',
  )
  expect(await missingStreams({ url, prefix: 'none' })).toEqual(['none_DOMAIN', 'none_NOTIFICATIONS'])
  await nc.close()
})
