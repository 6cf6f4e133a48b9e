import { expect, test } from 'bun:test'
import { connect } from '../../../kit/db/client.ts'
import { casesOf, qualityCase } from '../../../testing/cases.ts'
import { inboxOf } from '../../../testing/inbox.ts'
import { marketplaceWithWorkers, RACING } from '../../../testing/marketplace.ts'
import { act } from '../../../testing/people.ts'
import { rfqParties } from '../../../testing/rfqs.ts'
import { until } from '../../../testing/until.ts'
import { unassignTasks } from './queries.ts'

const market = await marketplaceWithWorkers(['sourcing'], RACING)
const { owner } = market.db
const sql = connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test-tasks' })
market.db.beforeDrop(() => sql.end({ timeout: 1 }))
const { maker, open } = await rfqParties(market)
const { client } = maker.administrator
const cases = casesOf(client)
type Tasks = ReturnType<typeof cases.tasks>

test('a change of a task at the same time does not bring its user back', async () => {
  const leaver = await maker.member(['case:read'])
  const tasks = cases.tasks((await cases.create(qualityCase({ rfqId: await open() }))).body.id)
  const { id } = (await tasks.create({ title: 'Report', assigneeUserId: leaver.userId })).body
  const waiting = async (count: number) =>
    (
      await owner`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%sourcing.subrecords%'`
    ).length === count
  const work = await owner.begin(async (tx) => {
    await tx`select from sourcing.subrecords where id = ${id} for update`
    const unassigned = sql.begin((other) => unassignTasks(other, maker.orgId, leaver.userId, 10))
    await until(() => waiting(1))
    const patched = tasks.patch(id, { title: 'Reports' })
    await until(() => waiting(2))
    return { unassigned, patched }
  })
  await work.unassigned
  const { status, body } = await work.patched
  expect([status, body.title, body.assigneeUserId]).toEqual([200, 'Reports', undefined])
})

const ASSIGNMENTS: Record<string, (tasks: Tasks, id: string, userId: string) => Promise<{ status: number }>> = {
  create: (tasks, _, assigneeUserId) => tasks.create({ title: 'Report', assigneeUserId }),
  patch: (tasks, id, assigneeUserId) => tasks.patch(id, { assigneeUserId }),
  assign: (tasks, id, assigneeUserId) => tasks.act(id, 'assign', { assigneeUserId }),
}

test.each(Object.entries(ASSIGNMENTS))(
  '%s of a task for a user who is deactivated at the same time leaves the task without the user',
  async (_, assign) => {
    const leaver = await maker.member(['case:read'])
    const tasks = cases.tasks((await cases.create(qualityCase({ rfqId: await open() }))).body.id)
    const { id } = (await tasks.create({ title: 'Report', assigneeOrgId: maker.orgId })).body
    const waiting = async (pattern: string) =>
      (
        await owner`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like ${pattern}`
      ).length
    const handled = async () =>
      (
        await owner`
          select from sourcing.processed_events where consumer = 'user-departures' and event_id in (
            select id from organization.outbox
            where type = 'organization.user.deactivated' and subject = ${leaver.userId})
          and not exists (select from sourcing.jobs where id = ${`tasks ${leaver.userId}`})`
      ).length === 1
    const assigned = await owner.begin(async (tx) => {
      // The assignment waits for this lock after it has read the user.
      await tx`lock table sourcing.outbox in share mode`
      const { deactivated, assignment } = await owner.begin(async (other) => {
        await other`lock table organization.outbox in share mode`
        const deactivation = act(client, leaver.userId, 'deactivate')
        await until(async () => (await waiting('%insert into outbox%')) === 1)
        const assigning = assign(tasks, id, leaver.userId)
        await until(async () => (await waiting('%insert into outbox%')) === 2)
        return { deactivated: () => deactivation, assignment: () => assigning }
      })
      await deactivated()
      await until(async () => (await handled()) || (await waiting('%pg_advisory_xact_lock%')) === 1)
      return assignment
    })
    expect((await assigned()).status).toBeOneOf([200, 201])
    await until(handled)
    const { items } = (await tasks.list()).body
    expect(items.map(({ assigneeUserId }) => assigneeUserId)).toEqual(items.map(() => undefined))
  },
)

test.each(['deactivate', 'anonymise'])('the open tasks of a user after %s wait for every colleague', async (verb) => {
  const [leaver, stayer] = [await maker.member(['case:read']), await maker.member(['case:read', 'case:manage'])]
  const tasks = cases.tasks((await cases.create(qualityCase({ rfqId: await open() }))).body.id)
  const taskFor = async (assigneeUserId: string) => (await tasks.create({ title: 'Report', assigneeUserId })).body.id
  const [first, done, other] = [
    await taskFor(leaver.userId),
    await taskFor(leaver.userId),
    await taskFor(stayer.userId),
  ]
  await tasks.act(done, 'complete')
  expect(await inboxOf(client).kinds(first)).toEqual([])
  await act(client, leaver.userId, verb)
  await until(async () => (await inboxOf(client).kinds(first)).length > 0)
  const userOf = async (id: string) => (await tasks.read(id)).body.assigneeUserId
  expect([await userOf(first), await userOf(done), await userOf(other)]).toEqual([
    undefined,
    leaver.userId,
    stayer.userId,
  ])
  expect([await inboxOf(stayer.client).kinds(first), await inboxOf(client).kinds(other)]).toEqual([['TASK'], []])
})
