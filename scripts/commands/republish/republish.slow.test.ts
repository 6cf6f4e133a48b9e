import { expect, test } from 'bun:test'
import { ensureStreams } from '../../../services/kit/bus/nats/streams.ts'
import { emitAny } from '../../../services/kit/bus/outbox/emit.ts'
import { connect } from '../../../services/kit/db/client.ts'
import { testDatabase } from '../../../services/testing/database.ts'
import { natsServer } from '../../../services/testing/nats-server.ts'

const { owner, ownerUrl, urlOf } = await testDatabase()

async function republish(args: string[], env: Record<string, string> = { DATABASE_URL: ownerUrl }) {
  const { DATABASE_URL: _, ...rest } = process.env
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/main.ts`, ...args], {
    env: { ...rest, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { output, errors, code }
}

test('--since: events from that time are published again, older ones are not', async () => {
  const pool = connect(urlOf('sourcing'), { max: 1, applicationName: 'republish-test' })
  for (const [subject, time] of Object.entries({
    old: '2026-04-29T09:09:59.999Z',
    recent: '2026-04-29T09:10:00.000Z',
  })) {
    await pool.begin((tx) => emitAny(tx, { type: 'sourcing.part.created', subject, data: {}, time }))
  }
  await pool.end({ timeout: 1 })
  await owner`update sourcing.outbox set sent_at = now()`
  const { output, code } = await republish(['--since', '2026-04-29T11:10:00+02:00'])
  expect(code).toBe(0)
  expect(output).toContain('sourcing: 1 event will be published again')
  expect(await owner`select subject from sourcing.outbox where sent_at is null`).toMatchObject([{ subject: 'recent' }])
})

test('--since with a NATS that lost its streams: refused, and no event is marked', async () => {
  const nats = await natsServer()
  await nats.start()
  try {
    const env = { DATABASE_URL: ownerUrl, NATS_URL: nats.url }
    await owner`update sourcing.outbox set sent_at = now()`
    const { errors, code } = await republish(['--since', '2026-04-29T09:00:00Z'], env)
    expect([code, errors]).toEqual([
      1,
      'NATS does not have DOMAIN and NOTIFICATIONS: create the streams with ./scripts/migrate first.\n',
    ])
    expect(await owner`select from sourcing.outbox where sent_at is null`).toHaveLength(0)
    await ensureStreams({ url: nats.url })
    expect((await republish(['--since', '2026-04-29T09:00:00Z'], env)).code).toBe(0)
    expect(await owner`select from sourcing.outbox where sent_at is null`).toHaveLength(2)
  } finally {
    await nats.close()
  }
})

test('dead letters: events are retried, other messages stay', async () => {
  const envelope = JSON.stringify({ source: '/marketplace/sourcing', subject: 'part_1' })
  await owner`
    insert into webhooks.dead_letters (consumer, event_id, type, subject, envelope, tries, error)
    values ('ingest', 'evt_1', 'cases.created', 'part_1', ${envelope}, 5, 'Error'),
      ('ingest', 'NOTIFICATIONS:7', null, null, 'no event', 0, 'not JSON'),
      ('other', 'evt_1', 'cases.created', 'part_1', ${envelope}, 5, 'Error')`
  const { output, code } = await republish(['--dead-letters', 'webhooks/ingest'])
  expect([code, output]).toEqual([0, 'webhooks/ingest: 1 event will be processed again\n'])
  const queued = await owner`
    select r.consumer, r.event_id, r.source, r.subject, j.attempts as tries
    from webhooks.retry_events r join webhooks.jobs j on j.kind = 'event-retry:ingest' and j.data ->> 'subject' = r.subject`
  expect(queued).toMatchObject([
    { consumer: 'ingest', event_id: 'evt_1', source: '/marketplace/sourcing', subject: 'part_1', tries: 0 },
  ])
  expect(await owner`select event_id from webhooks.dead_letters order by event_id`).toMatchObject([
    { event_id: 'NOTIFICATIONS:7' },
    { event_id: 'evt_1' },
  ])
})

test('a missing or partial time, or no database: refused in one sentence, and nothing changes', async () => {
  for (const args of [
    [],
    ['--since'],
    ['--since', 'yesterday'],
    ['--since', '2026-04-29'],
    ['--until', '2026-04-29T09:10:00Z'],
    ['--dead-letters', 'ingest'],
    ['--dead-letters', 'unknown/ingest'],
    ['--dead-letters', 'webhooks/ingest', '--since', '2026-04-29T09:10:00Z'],
  ]) {
    const { code, errors } = await republish(args)
    expect([args, code, errors]).toEqual([args, 2, expect.stringContaining('Run it with --help for the usage.')])
  }
  const { code, errors } = await republish(['--since', '2026-04-29T09:10:00Z'], {})
  expect([code, errors]).toEqual([2, expect.stringContaining("Set DATABASE_URL to the owner's URL of the database.\n")])
})
