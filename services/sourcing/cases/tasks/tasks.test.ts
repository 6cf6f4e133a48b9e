import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { CASE_EVENTS } from '../../../../proto/events/cases.ts'
import { CaseTask } from '../../../../proto/http/sourcing/case-tasks.ts'
import { caseEventsOf, casesOf, inEvents, qualityCase } from '../../../testing/cases.ts'
import { marketplaceOf, RACING } from '../../../testing/marketplace.ts'
import { entriesOf } from '../../../testing/people.ts'
import { inHours, rfqParties } from '../../../testing/rfqs.ts'
import { insertSubrecords } from '../../../testing/subrecords.ts'

const market = await marketplaceOf(['sourcing'], RACING)
const { consumer, maker, rival, open } = await rfqParties(market)
const own = casesOf(maker.administrator.client)
const others = casesOf(consumer.administrator.client)
const rfqId = await open()

/** A case of manufacturer and consumer. */
const newCase = async () => (await own.create(qualityCase({ rfqId }))).body.id
const caseId = await newCase()
const tasks = own.tasks(caseId)
const newTask = async (more: object = {}) => (await tasks.create({ title: 'Send the report', ...more })).body
const isTask = TypeCompiler.Compile(CaseTask)
const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)

describe('create', () => {
  test('an OPEN task of the organization, which every party is notified about and can read', async () => {
    const dueTime = inHours(48)
    let task: CaseTask | undefined
    const events = await caseEventsOf(market, async () => {
      const { status, body } = await tasks.create({
        ...{ title: 'Send the report', description: 'As PDF.', dueTime, assigneeOrgId: consumer.orgId },
      })
      task = body
      expect([status, isTask.Check(body)]).toEqual([201, true])
      expect(body).toMatchObject({ caseId, orgId: maker.orgId, state: 'OPEN', dueTime, assigneeOrgId: consumer.orgId })
    })
    expect(events.map(({ type, tenantId }) => `${type} ${tenantId}`).toSorted()).toEqual(
      [maker, consumer].map(({ orgId }) => `cases.tasks.created ${orgId}`).toSorted(),
    )
    for (const { data, type } of events) {
      expect(data).toEqual({ case: inEvents((await own.read(caseId)).body), task: task as CaseTask })
      expect(TypeCompiler.Compile(CASE_EVENTS[type]).Check(data)).toBe(true)
    }
    expect((await others.tasks(caseId).read(task?.id as string)).text).toBe(JSON.stringify(task))
  })

  test('an assignee that is no party is 400, exactly like an unknown one', async () => {
    const answers = [rival.orgId, 'org_unknown'].map((assigneeOrgId) => tasks.create({ title: 'X', assigneeOrgId }))
    const [outsider, unknown] = await Promise.all(answers)
    expect([outsider?.status, outsider && fields(outsider)]).toEqual([400, ['assigneeOrgId']])
    expect(outsider?.body.detail.replace(rival.orgId, 'id')).toBe(
      unknown?.body.detail.replace('org_unknown', 'id') as string,
    )
  })

  test.each([
    [{ title: '' }, 'title'],
    [{ title: 'X', dueTime: '2026-02-30T00:00:00Z' }, 'dueTime'],
    [{ title: 'X', dueTime: '0001-01-01T00:00:00+14:00' }, 'dueTime'],
    [{ title: 'X', state: 'COMPLETED' }, 'state'],
  ])('a body %p is 400 for %s', async (body, field) => {
    const answer = await tasks.create(body)
    expect([answer.status, fields(answer)]).toEqual([400, [field]])
  })

  test('the same Idempotency-Key creates one task of a case, and another key or case another one', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const [first, second] = [await tasks.create({ title: 'X' }, headers), await tasks.create({ title: 'X' }, headers)]
    expect(second.body).toEqual(first.body)
    const elsewhere = await own.tasks(await newCase()).create({ title: 'X' }, headers)
    expect([elsewhere.status, elsewhere.body.id === first.body.id]).toEqual([201, false])
  })

  test('after 200 tasks it is 409 limit_reached, also for concurrent requests', async () => {
    const full = await newCase()
    await insertSubrecords(market.db.owner, { kind: 'task', parentId: full, orgId: maker.orgId }, 199)
    const answers = await Promise.all([1, 2, 3].map(() => own.tasks(full).create({ title: 'X' })))
    expect(answers.map(({ status, body }) => [status, body.code] as const).toSorted()).toEqual([
      [201, undefined as unknown as string],
      [409, 'limit_reached'],
      [409, 'limit_reached'],
    ])
  })
})

describe('patch', () => {
  test('changes the sent fields, null clears them, and the parties are notified', async () => {
    const { id } = await newTask({ description: 'As PDF.', dueTime: inHours(1), assigneeOrgId: maker.orgId })
    const cleared = { description: null, dueTime: null, assigneeOrgId: null }
    const events = await caseEventsOf(market, async () => {
      const { body } = await tasks.patch(id, { title: 'Send all reports', ...cleared })
      expect(Object.keys(body)).toEqual(['id', 'caseId', 'orgId', 'title', 'state', 'createdTime', 'updatedTime'])
      expect(body.title).toBe('Send all reports')
    })
    expect(events.map(({ type }) => type)).toEqual(['cases.tasks.updated', 'cases.tasks.updated'])
  })

  test('without a change it emits nothing', async () => {
    const { id, title } = await newTask()
    expect(await caseEventsOf(market, () => tasks.patch(id, { title }))).toEqual([])
  })

  test('by another party it is 404, with an outsider as assignee 400, with an old tag 412', async () => {
    const { id } = await newTask()
    expect((await others.tasks(caseId).patch(id, { title: 'Y' })).status).toBe(404)
    expect(fields(await tasks.patch(id, { assigneeOrgId: rival.orgId }))).toEqual(['assigneeOrgId'])
    expect((await tasks.patch(id, { title: 'Y' }, { 'if-match': '"old"' })).status).toBe(412)
    expect((await tasks.read(id)).body.title).toBe('Send the report')
  })
})

describe('complete', () => {
  test('by any party leads to COMPLETED with its time, and the parties are notified', async () => {
    const { id } = await newTask()
    const events = await caseEventsOf(market, async () => {
      const { status, body } = await others.tasks(caseId).act(id, 'complete')
      expect([status, body.state, isTask.Check(body)]).toEqual([200, 'COMPLETED', true])
      expect(body.completedTime).toBe(body.updatedTime)
    })
    expect(events.map(({ type }) => type)).toEqual(['cases.tasks.completed', 'cases.tasks.completed'])
  })

  test('of two concurrent calls one is 200 and one 409; a COMPLETED task cannot be patched', async () => {
    const { id } = await newTask()
    const answers = await Promise.all([tasks.act(id, 'complete'), others.tasks(caseId).act(id, 'complete')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const { status, body } = await tasks.patch(id, { title: 'Y' })
    expect([status, body.detail]).toEqual([409, 'The task is COMPLETED, not OPEN.'])
  })
})

test('a deletion by the creator is 204 and tells the parties what the task was; by another party it is 404', async () => {
  const task = await newTask()
  expect((await others.tasks(caseId).remove(task.id)).status).toBe(404)
  const events = await caseEventsOf(market, async () => {
    expect((await tasks.remove(task.id)).status).toBe(204)
  })
  expect(events.map(({ type }) => type)).toEqual(['cases.tasks.deleted', 'cases.tasks.deleted'])
  expect(events[0]?.data).toMatchObject({ task })
  expect([(await tasks.read(task.id)).status, (await tasks.remove(task.id)).status]).toEqual([404, 404])
})

test('while the case is not OPEN every change of its tasks is 409, and they can be read', async () => {
  const closed = await newCase()
  const requests = own.tasks(closed)
  const { id } = (await requests.create({ title: 'X' })).body
  await others.act(closed, 'close')
  const events = await caseEventsOf(market, async () => {
    for (const answer of [
      await requests.create({ title: 'Y' }),
      await requests.patch(id, { title: 'Y' }),
      await requests.act(id, 'complete'),
      await requests.remove(id),
    ]) {
      expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
        409,
        'illegal_transition',
        'The case is CLOSED, not OPEN.',
      ])
    }
  })
  expect(events).toEqual([])
  expect((await requests.list()).body.items).toHaveLength(1)
})

test('a task under another case is 404', async () => {
  const { id } = await newTask()
  const elsewhere = own.tasks(await newCase())
  expect([(await elsewhere.read(id)).status, (await elsewhere.act(id, 'complete')).status]).toEqual([404, 404])
})

test('the list has the tasks of the case, newest first', async () => {
  const listed = await newCase()
  const requests = own.tasks(listed)
  const ids: string[] = []
  for (const title of ['A', 'B', 'C']) ids.unshift((await requests.create({ title })).body.id)
  const pages = [await requests.list('?pageSize=2'), await others.tasks(listed).list('?page=2&pageSize=2')]
  expect(pages.map(({ body }) => body.items.map(({ id }) => id))).toEqual([ids.slice(0, 2), ids.slice(2)])
})

test('each command writes an audit entry with its procedure', async () => {
  const { id } = await newTask()
  await tasks.patch(id, { title: 'Y' })
  await tasks.act(id, 'complete')
  await tasks.remove(id)
  for (const verb of ['create', 'patch', 'complete', 'delete']) {
    const entries = await entriesOf(market, maker.orgId, `case.task.${verb}`)
    const written = entries.filter(({ request, success }) => success && request.taskId === id && request.id === caseId)
    expect([verb, written.length]).toEqual([verb, 1])
  }
})
