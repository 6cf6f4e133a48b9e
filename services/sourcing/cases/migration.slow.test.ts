import { expect, test } from 'bun:test'
import { emptyTestDatabase, migrateTest } from '../../testing/database.ts'

const CONVERSATIONS = '0023_conversations.sql'

test('open cases of invited manufacturers gain the consumer, expenses that exist are approved, and tasks have their day', async () => {
  const db = await emptyTestDatabase()
  await migrateTest(db.ownerUrl, { before: { sourcing: CONVERSATIONS } })
  const { owner } = db
  await owner`
    insert into sourcing.rfqs (
      id, serial_number, part_id, part_serial_number, consumer_org_id, ip_owner_org_id, state, terms, manufacturer_ids,
      expires_at, created_at, updated_at, published_at, version, part_revision)
    values ('rfq_1', 'R-1', 'part_1', 'P-1', 'org_buyer', 'org_owner', 'OPEN', '{"currency": "EUR"}',
      array['org_maker', 'org_closed'], now(), now(), now(), now(), 1, 1)`
  const insert = (orgId: string, state: string, follows: boolean) => owner`
    insert into sourcing.cases (
      id, kind, state, title, rfq_id, org_id, party_org_ids, follows_rfq, created_at, updated_at)
    values (${`case_${orgId}${follows ? '' : '_own'}`}, 'SOURCING', ${state}, 'Request', 'rfq_1', ${orgId}, array[${orgId}],
      ${follows}, now(), now())`
  for (const orgId of ['org_buyer', 'org_owner', 'org_maker']) await insert(orgId, 'OPEN', true)
  await insert('org_closed', 'CLOSED', true)
  await insert('org_maker', 'OPEN', false)
  const times = '"createdTime":"2026-01-01T00:00:00.000Z","updatedTime":"2026-01-02T00:00:00.000Z"'
  await owner`
    insert into sourcing.subrecords (id, kind, parent_id, org_id, document) values
      ('expense_1', 'expense', 'case_org_maker', 'org_maker', ${`{"id":"expense_1","description":"Freight",${times}}`}),
      ('task_1', 'task', 'case_org_maker', 'org_maker',
        ${`{"id":"task_1","title":"Report","dueTime":"2031-05-29T12:00:00.000Z","assigneeOrgId":"org_maker","state":"OPEN",${times}}`}),
      ('task_2', 'task', 'case_org_maker', 'org_maker', ${`{"id":"task_2","title":"Plan","state":"OPEN",${times}}`})`
  await migrateTest(db.ownerUrl)

  const cases = await owner<{ id: string; parties: string[]; document: string }[]>`
    select id, party_org_ids as parties, document from sourcing.cases order by id`
  expect(cases.map(({ id, parties }) => [id, parties])).toEqual([
    ['case_org_buyer', ['org_buyer']],
    ['case_org_closed', ['org_closed']],
    ['case_org_maker', ['org_maker', 'org_buyer']],
    ['case_org_maker_own', ['org_maker']],
    ['case_org_owner', ['org_owner']],
  ])
  for (const { document, parties } of cases) expect(JSON.parse(document).partyOrgIds).toEqual(parties)
  const listed = await owner<{ org_id: string }[]>`
    select org_id from sourcing.case_parties where case_id = 'case_org_maker' order by org_id`
  expect(listed.map((row) => row.org_id)).toEqual(['org_buyer', 'org_maker'])

  const records = await owner<
    { id: string; document: string }[]
  >`select id, document from sourcing.subrecords order by id`
  const fields = records.map(({ id, document }) => [id, JSON.parse(document).state, JSON.parse(document).dueDate])
  expect(fields).toEqual([
    ['expense_1', 'APPROVED', undefined],
    ['task_1', 'OPEN', '2031-05-29'],
    ['task_2', 'OPEN', undefined],
  ])
  const work = await owner<{ org_id: string; id: string; since: string }[]>`
    select org_id, id, sourcing.api_time(since) as since from sourcing.case_work order by id, org_id`
  expect(work.map((row) => [row.id, row.org_id, row.since])).toEqual(
    ['expense_1', 'task_1', 'task_2'].flatMap((id) =>
      ['org_buyer', 'org_maker'].map((orgId) => [id, orgId, '2026-01-02T00:00:00.000Z']),
    ),
  )
})

test('an invited IP owner gains a conversation beside its own case, and work about ended RFQs is marked', async () => {
  const db = await emptyTestDatabase()
  await migrateTest(db.ownerUrl, { before: { sourcing: '0030_completions.sql' } })
  const { owner } = db
  const rfq = (id: string, state: string, invited: string[]) => owner`
    insert into sourcing.rfqs (
      id, serial_number, part_id, part_serial_number, consumer_org_id, ip_owner_org_id, state, terms, manufacturer_ids,
      expires_at, created_at, updated_at, published_at, version, part_revision, cancel_reason)
    values (${id}, ${`R-${id}`}, 'part_1', 'P-1', 'org_buyer', 'org_owner', ${state}, '{"currency": "EUR"}', ${invited},
      now(), now(), now(), now(), 1, 1, ${state === 'CANCELLED' ? 'Sold.' : null})`
  const invite = (id: string, orgId: string, state: string) => owner`
    insert into sourcing.rfq_invitations (rfq_id, org_id, invited_at, state) values (${id}, ${orgId}, now(), ${state})`
  const open = (id: string, rfqId: string, parties: string[]) => owner`
    insert into sourcing.cases (id, kind, state, title, rfq_id, org_id, party_org_ids, follows_rfq, created_at, updated_at)
    values (${id}, 'SOURCING', 'OPEN', 'Request', ${rfqId}, ${parties[0] as string}, ${parties}, true, now(), now())`
  const task = (id: string, caseId: string) => owner`
    insert into sourcing.subrecords (id, kind, parent_id, org_id, document) values (${id}, 'task', ${caseId}, 'org_maker',
      '{"title":"Report","assigneeOrgId":"org_buyer","state":"OPEN","updatedTime":"2026-01-02T00:00:00.000Z"}')`
  await rfq('rfq_invited', 'OPEN', ['org_owner', 'org_maker'])
  await rfq('rfq_declined', 'OPEN', ['org_owner'])
  await rfq('rfq_ended', 'CANCELLED', ['org_owner', 'org_maker'])
  await invite('rfq_invited', 'org_owner', 'READ')
  await invite('rfq_declined', 'org_owner', 'DECLINED')
  await invite('rfq_ended', 'org_owner', 'READ')
  await open('case_01JZ8Q4D3R1G5M7VJ0T6W2X9Y1', 'rfq_invited', ['org_owner'])
  await open('case_01JZ8Q4D3R1G5M7VJ0T6W2X9Y2', 'rfq_declined', ['org_owner'])
  await open('case_01JZ8Q4D3R1G5M7VJ0T6W2X9Y3', 'rfq_ended', ['org_owner'])
  await open('case_01JZ8Q4D3R1G5M7VJ0T6W2X9Y4', 'rfq_invited', ['org_maker', 'org_buyer'])
  await open('case_01JZ8Q4D3R1G5M7VJ0T6W2X9Y5', 'rfq_ended', ['org_maker', 'org_buyer'])
  await task('task_open', 'case_01JZ8Q4D3R1G5M7VJ0T6W2X9Y4')
  await task('task_ended', 'case_01JZ8Q4D3R1G5M7VJ0T6W2X9Y5')
  await migrateTest(db.ownerUrl)

  const cases = await owner<{ id: string; rfq_id: string; parties: string[]; follows_rfq: boolean }[]>`
    select id, rfq_id, party_org_ids as parties, follows_rfq from sourcing.cases
    where org_id = 'org_owner' order by rfq_id, follows_rfq`
  expect(cases.map((row) => [row.rfq_id, row.parties, row.follows_rfq])).toEqual([
    ['rfq_declined', ['org_owner'], true],
    ['rfq_ended', ['org_owner'], true],
    ['rfq_invited', ['org_owner'], false],
    ['rfq_invited', ['org_owner', 'org_buyer'], true],
  ])
  expect(cases.at(-1)?.id).toMatch(/^case_01JZ8Q4D3R[0-9A-F]{16}$/)
  const work = await owner<{ id: string; has_ended: boolean }[]>`
    select distinct id, has_ended from sourcing.case_work order by id`
  expect(work.map((row) => [row.id, row.has_ended])).toEqual([
    ['task_ended', true],
    ['task_open', false],
  ])
})
