import { describe, expect, test } from 'bun:test'
import type { CaseTask } from '../../../../proto/http/sourcing/case-tasks.ts'
import { caseEventsOf, casesOf, qualityCase } from '../../../testing/cases.ts'
import { marketplaceOf, type TestOrganization } from '../../../testing/marketplace.ts'
import { act, entriesOf } from '../../../testing/people.ts'
import { rfqParties } from '../../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, maker, rival, open } = await rfqParties(market)
const of = ({ administrator }: TestOrganization) => casesOf(administrator.client)
const colleague = await maker.member(['case:read', 'case:manage'])
const buyersUser = await consumer.member(['case:read', 'case:manage'])

/** The tasks of a new case of manufacturer and consumer, as both use them. */
async function tasksOfBoth() {
  const id = (await of(maker).create(qualityCase({ rfqId: await open() }))).body.id
  return { id, own: of(maker).tasks(id), others: of(consumer).tasks(id) }
}
type Answer = { status: number; body: { errors?: { field: string }[]; detail: string } }
const fields = ({ body }: Answer) => body.errors?.map(({ field }) => field)

describe('the user of a task', () => {
  test('is one of the own organization, which is then the assignee', async () => {
    const { own } = await tasksOfBoth()
    const { status, body } = await own.create({ title: 'Report', assigneeUserId: colleague.userId })
    expect([status, body.assigneeOrgId, body.assigneeUserId]).toEqual([201, maker.orgId, colleague.userId])
    expect((await own.read(body.id)).body).toEqual(body)
    expect((await own.list()).body.items).toEqual([body])
  })

  test('of another organization, of the other party, deactivated and unknown are 400 alike', async () => {
    const { own } = await tasksOfBoth()
    const { body: task } = await own.create({ title: 'Report', assigneeOrgId: maker.orgId })
    const gone = await maker.member([])
    await act(maker.administrator.client, gone.userId, 'deactivate')
    const outsider = await rival.member([])
    const users = [outsider.userId, buyersUser.userId, gone.userId, 'user_unknown']
    const details = await Promise.all(
      users.flatMap((assigneeUserId) =>
        [
          own.create({ title: 'X', assigneeUserId }),
          own.patch(task.id, { assigneeUserId }),
          own.act(task.id, 'assign', { assigneeUserId }),
        ].map(async (request) => {
          const answer = await request
          expect([answer.status, fields(answer)]).toEqual([400, ['assigneeUserId']])
          return answer.body.detail.replace(assigneeUserId, 'id')
        }),
      ),
    )
    expect(new Set(details).size).toBe(1)
  })

  test('beside another organization is 400', async () => {
    const { own } = await tasksOfBoth()
    const body = { title: 'X', assigneeUserId: colleague.userId, assigneeOrgId: consumer.orgId }
    const answer = await own.create(body)
    expect([answer.status, fields(answer)]).toEqual([400, ['assigneeUserId']])
  })

  test('is unknown to the other parties: in answers, tags, events, lists and audit entries', async () => {
    const { id, own, others } = await tasksOfBoth()
    const { body } = await own.create({ title: 'Report', assigneeOrgId: maker.orgId })
    const before = await others.read(body.id)
    const events = await caseEventsOf(market, async () => {
      await own.patch(body.id, { assigneeUserId: colleague.userId })
      await own.act(body.id, 'assign', { assigneeUserId: maker.administrator.userId })
    })
    expect(events.map(({ type, tenantId }) => [type, tenantId])).toEqual([
      ['cases.tasks.updated', maker.orgId],
      ['cases.tasks.updated', maker.orgId],
    ])
    expect(events.map(({ data }) => 'task' in data && data.task.assigneeUserId)).toEqual([
      colleague.userId,
      maker.administrator.userId,
    ])
    const after = await others.read(body.id)
    expect([after.text, after.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')])
    const all = await caseEventsOf(market, async () => {
      await own.create({ title: 'Other', assigneeUserId: colleague.userId })
      await own.patch(body.id, { title: 'All reports' })
      await own.act(body.id, 'complete')
      await own.remove(body.id)
    })
    const told = all.filter(({ tenantId }) => tenantId === consumer.orgId)
    expect(told.map(({ type }) => type)).toEqual([
      'cases.tasks.created',
      'cases.tasks.updated',
      'cases.tasks.completed',
      'cases.tasks.deleted',
    ])
    const { client } = consumer.administrator
    const texts = [
      JSON.stringify(told),
      (await others.list()).text,
      (await client.get('/flows/v1/tasks')).text,
      (await client.get('/v1/audit-log?pageSize=50')).text,
      (await of(consumer).read(id)).text,
    ]
    for (const text of texts) {
      for (const user of [colleague, maker.administrator]) expect(text).not.toContain(user.userId)
    }
    const [entry] = await entriesOf(market, maker.orgId, 'case.task.assign')
    expect(entry?.request).toEqual({ id, taskId: body.id, assigneeUserId: maker.administrator.userId })
  })

  test('is named by the organization that should do the task, not by its creator', async () => {
    const { own, others } = await tasksOfBoth()
    const { body } = await own.create({ title: 'Report', assigneeOrgId: consumer.orgId })
    const assigned = await others.act(body.id, 'assign', { assigneeUserId: buyersUser.userId })
    expect([assigned.status, assigned.body.assigneeUserId]).toEqual([200, buyersUser.userId])
    expect((await own.act(body.id, 'assign', { assigneeUserId: colleague.userId })).status).toBe(404)
    // The creator cannot clear a user that it does not know, and changes the rest.
    const patched = await own.patch(body.id, { title: 'All reports', assigneeUserId: null })
    expect([patched.status, patched.text.includes(buyersUser.userId)]).toEqual([200, false])
    expect((await others.read(body.id)).body.assigneeUserId).toBe(buyersUser.userId)
    expect((await others.act(body.id, 'assign')).body.assigneeUserId).toBeUndefined()
  })

  test('is forgotten with its organization', async () => {
    const { own, others } = await tasksOfBoth()
    const { body } = await own.create({ title: 'Report', assigneeUserId: colleague.userId })
    const moved = await own.patch(body.id, { assigneeOrgId: consumer.orgId })
    expect([moved.body.assigneeOrgId, moved.body.assigneeUserId]).toEqual([consumer.orgId, undefined])
    expect((await others.read(body.id)).text).not.toContain(colleague.userId)
    await own.patch(body.id, { assigneeOrgId: maker.orgId })
    expect((await own.read(body.id)).body.assigneeUserId).toBeUndefined()
  })

  test('is part of the tag for its own organization', async () => {
    const { own } = await tasksOfBoth()
    const { body } = await own.create({ title: 'Report', assigneeUserId: colleague.userId })
    const etag = (await own.read(body.id)).headers.get('etag') as string
    expect((await own.patch(body.id, { title: 'All reports' }, { 'if-match': etag })).status).toBe(200)
    expect((await own.patch(body.id, { title: 'X' }, { 'if-match': etag })).status).toBe(412)
  })
})

describe('the day of a task', () => {
  test('stands for its end in UTC, and follows the time', async () => {
    const { own } = await tasksOfBoth()
    const due = ({ body }: { body: CaseTask }) => [body.dueTime, body.dueDate]
    const created = await own.create({ title: 'Report', dueDate: '2031-05-29' })
    expect(due(created)).toEqual(['2031-05-29T23:59:59.999Z', '2031-05-29'])
    const { id } = created.body
    expect(due(await own.patch(id, { dueTime: '2031-05-30T01:00:00+02:00' }))).toEqual([
      '2031-05-29T23:00:00.000Z',
      '2031-05-29',
    ])
    expect(due(await own.patch(id, { title: 'All' }))).toEqual(['2031-05-29T23:00:00.000Z', '2031-05-29'])
    expect(due(await own.patch(id, { dueDate: '2031-06-01' }))).toEqual(['2031-06-01T23:59:59.999Z', '2031-06-01'])
    expect(due(await own.patch(id, { dueDate: null }))).toEqual([undefined, undefined])
  })

  test('is not sent with a time, and is a day of the calendar: 400', async () => {
    const { own } = await tasksOfBoth()
    for (const body of [{ dueDate: '2031-05-29', dueTime: '2031-05-29T12:00:00Z' }, { dueDate: '2031-02-30' }]) {
      const answer = await own.create({ title: 'Report', ...body })
      expect([answer.status, fields(answer)]).toEqual([400, ['dueDate']])
    }
  })
})

describe('GET /flows/v1/tasks', () => {
  const list = async ({ administrator }: TestOrganization, query = '') =>
    (await administrator.client.get<{ items: CaseTask[] }>(`/flows/v1/tasks?pageSize=50${query}`)).body.items

  test('lists the tasks of every case of the organization, newest first, and those of no other', async () => {
    const [first, second] = [await tasksOfBoth(), await tasksOfBoth()]
    const a = (await first.own.create({ title: 'A' })).body
    const b = (await second.others.create({ title: 'B' })).body
    const private_ = (await of(maker).create(qualityCase())).body.id
    const c = (await of(maker).tasks(private_).create({ title: 'C', assigneeUserId: colleague.userId })).body
    expect((await list(maker)).slice(0, 3)).toEqual([c, b, a])
    const seen = (await list(consumer)).map(({ id }) => id)
    expect([seen.slice(0, 2), seen.includes(c.id)]).toEqual([[b.id, a.id], false])
    expect(await list(rival)).toEqual([])
    const page = (query: string) =>
      maker.administrator.client.get<{ items: CaseTask[] }>(`/flows/v1/tasks?pageSize=1${query}`)
    expect([(await page('')).body.items, (await page('&page=2')).body.items]).toEqual([[c], [b]])
  })

  test('filters by assignee, state and due time', async () => {
    const { own, others } = await tasksOfBoth()
    const mine = (await own.create({ title: 'Mine', assigneeUserId: colleague.userId, dueDate: '2031-05-29' })).body
    const yours = (await own.create({ title: 'Yours', assigneeOrgId: consumer.orgId, dueDate: '2031-06-29' })).body
    await others.act(yours.id, 'complete')
    const ids = async (org: TestOrganization, query: string) => (await list(org, query)).map(({ id }) => id)
    expect((await ids(maker, `&assigneeId=${colleague.userId}`))[0]).toBe(mine.id)
    expect(await ids(consumer, `&assigneeId=${colleague.userId}`)).toEqual([])
    expect((await ids(consumer, `&assigneeId=${maker.orgId}`))[0]).toBe(mine.id)
    expect((await ids(maker, `&assigneeId=${consumer.orgId}&state=COMPLETED`))[0]).toBe(yours.id)
    expect(await ids(maker, '&dueBefore=2031-06-01T00:00:00Z&state=OPEN')).toContain(mine.id)
    expect(await ids(maker, '&dueBefore=2031-05-29T23:59:59.999Z')).not.toContain(mine.id)
    expect(await ids(maker, '&assigneeId=user_unknown')).toEqual([])
  })

  test('needs case:read, and refuses an unknown state and a bad time', async () => {
    const { client } = await maker.member(['case:manage'])
    expect((await client.get('/flows/v1/tasks')).status).toBe(403)
    for (const query of ['state=DONE', 'dueBefore=tomorrow', 'assigneeId=']) {
      const { status } = await maker.administrator.client.get(`/flows/v1/tasks?${query}`)
      expect([query, status]).toEqual([query, query === 'assigneeId=' ? 200 : 400])
    }
  })
})
