import { expect, test } from 'bun:test'
import { emptyTestDatabase, migrateTest } from '../testing/database.ts'
import { until } from '../testing/until.ts'

test('the migration to jobs keeps what waits in the earlier queues, and secrets of nothing else', async () => {
  const { owner, ownerUrl } = await emptyTestDatabase()
  const before = {
    identity: 'kit/0005_jobs.sql',
    sourcing: '0015_jobs.sql',
    organization: '0012_jobs.sql',
    webhooks: '0004_jobs.sql',
  }
  await migrateTest(ownerUrl, { before })
  await owner.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      insert into identity.retry_events (consumer, event_id, source, subject, envelope, tries, interruptions, next_try_at)
      values ('c', 'evt_1', '/a', 'x', '{}', 3, 1, '2030-01-01T00:00:00Z'), ('c', 'evt_2', '/a', 'x', '{}', 0, 0, null)`
    await tx`
      insert into sourcing.files (id, part_id, org_id, name, file_group, state, public, created_at)
      values ('file_1', 'part_1', 'org_1', 'a', 'document', 'PENDING', false, now()),
        ('file_2', 'part_1', 'org_1', 'a', 'document', 'PENDING', false, now())`
    await tx`
      insert into sourcing.file_jobs
        (file_id, kind, source_key, source_etag, encrypted_url, attempts, next_attempt_at, deadline_at)
      values ('file_1', 'copy', 'upload_1', 'tag', null, 0, '2030-01-01T00:00:00Z', '2030-01-02T00:00:00Z'),
        ('file_2', 'import', null, null, 'encrypted', 2, '2030-01-01T00:00:00Z', '2030-01-02T00:00:00Z')`
    await tx`insert into sourcing.title_refreshes (part_id, last_id, waits_since) values ('part_1', 'rfq_1', now())`
    await tx`insert into sourcing.technology_refresh (records, last_id) values ('parts', 'part_7')`
    await tx`
      insert into organization.mails
        (id, org_id, kind, address_id, state, attempts, created_at, next_attempt_at, expires_at, finished_at)
      values ('mail_1', 'org_1', 'NOTICE', 'maddr_1', 'PENDING', 4, now(), '2030-01-01T00:00:00Z', '2030-01-02T00:00:00Z', null),
        ('mail_2', 'org_1', 'NOTICE', 'maddr_1', 'SENT', 1, now(), now(), now(), now())`
    await tx`
      insert into webhooks.endpoints (id, org_id, url, secret, events, status, created_at, updated_at)
      values ('wh_1', 'org_1', 'https://example.com', 's', '{cases.*}', 'paused', now(), now()),
        ('wh_2', 'org_1', 'https://example.com', 's', '{cases.*}', 'active', now(), now())`
    await tx`
      insert into webhooks.replays (
        endpoint_id, from_time, to_time, position_time, position_id, created_at, next_step_at, finished_at)
      values ('wh_1', now(), now(), '2026-05-01T00:00:00Z', 'evt_5', now(), 'infinity', null),
        ('wh_2', now(), now(), now(), '', now(), now(), now())`
  })
  await migrateTest(ownerUrl)

  const jobsOf = async (schema: string) => [
    ...(await owner`
      select kind, id, tenant_id, data, progress, attempts, due_at::text like '2030-01-01%' as later,
        due_at = 'infinity' as waits, expires_at from ${owner(schema)}.jobs order by kind`),
  ]
  const job = { tenant_id: 'org_1', data: {}, progress: {}, attempts: 0, later: true, waits: false, expires_at: null }
  const expires_at = '2030-01-02T00:00:00.000Z'
  expect(await jobsOf('identity')).toEqual([
    { ...job, kind: 'event-retry:c', id: '/a\nx', tenant_id: '', data: { source: '/a', subject: 'x' }, attempts: 2 },
  ])
  expect(await jobsOf('sourcing')).toEqual([
    { ...job, kind: 'file-copy', id: 'file_1', data: { sourceKey: 'upload_1', sourceEtag: 'tag' }, expires_at },
    { ...job, kind: 'file-import', id: 'file_2', data: { encryptedUrl: 'encrypted' }, attempts: 2, expires_at },
    { ...job, kind: 'rfq-titles', id: 'part_1', tenant_id: '', progress: { lastId: 'rfq_1' }, later: false },
    { ...job, kind: 'technologies', id: 'parts', tenant_id: '', progress: { lastId: 'part_7' }, later: false },
  ])
  expect(await jobsOf('organization')).toEqual([
    { ...job, kind: 'mail', id: 'mail_1', data: { kind: 'NOTICE' }, attempts: 4, expires_at },
  ])
  const [replay] = await jobsOf('webhooks')
  expect([replay?.kind, replay?.id, replay?.waits, (await jobsOf('webhooks')).length]).toEqual([
    'webhook-replay',
    'wh_1',
    true,
    1,
  ])
  const position = replay?.progress as { time: string; id: string }
  expect([new Date(position.time).toISOString(), position.id]).toEqual(['2026-05-01T00:00:00.000Z', 'evt_5'])
  // Without its turn no job would be claimed.
  for (const schema of ['identity', 'sourcing', 'organization', 'webhooks']) {
    const missing = await owner`
      select from ${owner(schema)}.jobs j
      where not exists (select from ${owner(schema)}.job_turns t where t.kind = j.kind and t.tenant_id = j.tenant_id)`
    expect([schema, missing.length]).toEqual([schema, 0])
  }
}, 60_000)

test('a job that a transaction wakes during the migration to turns has its turn', async () => {
  const { owner, ownerUrl } = await emptyTestDatabase()
  await migrateTest(ownerUrl, { before: { webhooks: 'kit/0006_job_turns.sql' } })
  await owner`
    insert into webhooks.jobs (kind, id, tenant_id, created_at, due_at)
    values ('replay', 'job_1', 'org_1', now(), 'infinity'), ('replay', 'job_2', 'org_2', now(), '2030-01-01T00:00:00Z')`
  const migrated = Promise.withResolvers<void>()
  await owner.begin(async (tx) => {
    await tx`update webhooks.jobs set due_at = '2020-01-01T00:00:00Z' where id = 'job_1'`
    migrateTest(ownerUrl).then(() => migrated.resolve(), migrated.reject)
    await until(async () => (await tx`select from pg_locks where not granted`).length > 0, { withinMs: 20_000 })
  })
  await migrated.promise
  const turns = await owner`select tenant_id, turn_at::text as turn_at from webhooks.job_turns order by tenant_id`
  expect([...turns]).toEqual([
    { tenant_id: 'org_1', turn_at: expect.stringMatching(/^2020-01-01/) },
    { tenant_id: 'org_2', turn_at: expect.stringMatching(/^20(29|30)-/) },
  ])
}, 60_000)
