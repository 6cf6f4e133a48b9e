import { expect, test } from 'bun:test'
import { casesOf, qualityCase } from '../../testing/cases.ts'
import { testDatabase } from '../../testing/database.ts'
import { marketplaceWithWorkers, RACING } from '../../testing/marketplace.ts'
import { act } from '../../testing/people.ts'
import { rfqParties } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

const db = await testDatabase()
const { owner } = db
await owner`
  insert into sourcing.bus_cursors (consumer, source)
  select consumer, 'organization' from unnest(array['unassign-tasks', 'erase-messages', 'erase-acceptances']) consumer`
const market = await marketplaceWithWorkers(['sourcing'], RACING, db)
const { maker, open } = await rfqParties(market)

test('a user is erased in its messages by transactions of at most 1000 rows', async () => {
  const { client } = maker.administrator
  const { id } = (await casesOf(client).create(qualityCase({ rfqId: await open() }))).body
  const { userId } = await maker.member(['case:read'])
  await owner`
    insert into sourcing.case_messages (id, case_id, org_id, user_id, text, file_ids, created_at)
    select 'message_' || n, ${id}, ${maker.orgId}, ${userId}, 'Done.', '{}', now() from generate_series(1, 1001) n`
  await owner`analyze sourcing.case_messages`
  await act(client, userId, 'deactivate')
  expect((await act(client, userId, 'anonymise')).status).toBe(200)
  const left = async () => (await owner`select from sourcing.case_messages where user_id = ${userId}`).length
  await until(async () => (await left()) === 0)
  const transactions = await owner<{ rows: number }[]>`
    select count(*)::integer as rows from sourcing.case_messages where case_id = ${id} group by xmin order by rows`
  expect(transactions.map(({ rows }) => rows)).toEqual([1, 1000])
})

test('the positions of the consumers whose work is done here keep no events', async () => {
  const consumers = async () =>
    (
      await owner<{ consumer: string }[]>`
        select distinct consumer from sourcing.bus_cursors
        where consumer in ('unassign-tasks', 'erase-messages', 'erase-acceptances', 'user-departures')`
    ).map(({ consumer }) => consumer)
  await until(async () => (await consumers()).length === 1, { what: 'the end of the former positions' })
  expect(await consumers()).toEqual(['user-departures'])
})
