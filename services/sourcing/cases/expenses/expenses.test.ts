import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { CASE_EVENTS } from '../../../../proto/events/cases.ts'
import { CaseExpense } from '../../../../proto/http/sourcing/case-expenses.ts'
import { caseEventsOf, casesOf, inEvents, qualityCase } from '../../../testing/cases.ts'
import { marketplaceOf, RACING } from '../../../testing/marketplace.ts'
import { euros } from '../../../testing/offers.ts'
import { entriesOf } from '../../../testing/people.ts'
import { rfqParties } from '../../../testing/rfqs.ts'
import { insertSubrecords } from '../../../testing/subrecords.ts'

const market = await marketplaceOf(['sourcing'], RACING)
const { consumer, maker, open } = await rfqParties(market)
const own = casesOf(maker.administrator.client)
const others = casesOf(consumer.administrator.client)
const rfqId = await open()

/** A case of manufacturer and consumer. */
const newCase = async () => (await own.create(qualityCase({ rfqId }))).body.id
const caseId = await newCase()
const expenses = own.expenses(caseId)
const body = (more: object = {}) => ({
  description: 'CT scan',
  amount: euros('480.5'),
  incurredDate: '2026-04-29',
  ...more,
})
const newExpense = async (more: object = {}) => (await expenses.create(body(more))).body
const isExpense = TypeCompiler.Compile(CaseExpense)
const fields = (answer: { body: { errors?: { field: string }[] } }) => answer.body.errors?.map(({ field }) => field)

describe('create', () => {
  test('an expense of the organization, which every party is notified about and can read', async () => {
    let expense: CaseExpense | undefined
    const events = await caseEventsOf(market, async () => {
      const answer = await expenses.create(body())
      expense = answer.body
      expect([answer.status, isExpense.Check(answer.body)]).toEqual([201, true])
      expect(expense).toMatchObject({ caseId, orgId: maker.orgId, amount: euros('480.50'), incurredDate: '2026-04-29' })
    })
    expect(events.map(({ type, tenantId }) => `${type} ${tenantId}`).toSorted()).toEqual(
      [maker, consumer].map(({ orgId }) => `cases.expenses.created ${orgId}`).toSorted(),
    )
    for (const { data, type } of events) {
      expect(data).toEqual({ case: inEvents((await own.read(caseId)).body), expense: expense as CaseExpense })
      expect(TypeCompiler.Compile(CASE_EVENTS[type]).Check(data)).toBe(true)
    }
    expect((await others.expenses(caseId).read(expense?.id as string)).text).toBe(JSON.stringify(expense))
  })

  test.each([
    [{ description: ' ' }, 'description'],
    [{ amount: euros('-1') }, 'amount.amount'],
    [{ amount: euros('1.00001') }, 'amount.amount'],
    [{ amount: { amount: '1', currency: 'XYZ' } }, 'amount.currency'],
    [{ incurredDate: '2026-02-30' }, 'incurredDate'],
    [{ incurredDate: '2026-04-29T00:00:00Z' }, 'incurredDate'],
    [{ orgId: 'org_1' }, 'orgId'],
  ])('a body with %p is 400 for %s', async (more, field) => {
    const answer = await expenses.create(body(more))
    expect([answer.status, fields(answer)]).toEqual([400, [field]])
  })

  test('the same Idempotency-Key creates one expense', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const [first, second] = [await expenses.create(body(), headers), await expenses.create(body(), headers)]
    expect(second.body).toEqual(first.body)
  })

  test('after 200 expenses it is 409 limit_reached, also for concurrent requests', async () => {
    const full = await newCase()
    await insertSubrecords(market.db.owner, { kind: 'expense', parentId: full, orgId: maker.orgId }, 199)
    const answers = await Promise.all([1, 2, 3].map(() => own.expenses(full).create(body())))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('limit_reached')
  })
})

describe('patch', () => {
  test('changes the sent fields, and the parties are notified', async () => {
    const { id } = await newExpense()
    const events = await caseEventsOf(market, async () => {
      const answer = await expenses.patch(id, { amount: { amount: '12', currency: 'USD' }, incurredDate: '2026-05-01' })
      expect(answer.body).toMatchObject({
        description: 'CT scan',
        amount: { amount: '12.00', currency: 'USD' },
        incurredDate: '2026-05-01',
      })
    })
    expect(events.map(({ type }) => type)).toEqual(['cases.expenses.updated', 'cases.expenses.updated'])
  })

  test('without a change, also of an amount written otherwise, it emits nothing', async () => {
    const { id } = await newExpense()
    expect(await caseEventsOf(market, () => expenses.patch(id, { amount: euros('480.5000') }))).toEqual([])
  })

  test('by another party it is 404, with null 400, with an old tag 412', async () => {
    const { id } = await newExpense()
    expect((await others.expenses(caseId).patch(id, { description: 'Y' })).status).toBe(404)
    expect((await expenses.patch(id, { amount: null })).status).toBe(400)
    expect((await expenses.patch(id, { description: 'Y' }, { 'if-match': '"old"' })).status).toBe(412)
  })
})

test('a deletion by the creator is 204 and tells the parties what it was; by another party it is 404', async () => {
  const expense = await newExpense()
  expect((await others.expenses(caseId).remove(expense.id)).status).toBe(404)
  const events = await caseEventsOf(market, async () => {
    expect((await expenses.remove(expense.id)).status).toBe(204)
  })
  expect(events.map(({ type }) => type)).toEqual(['cases.expenses.deleted', 'cases.expenses.deleted'])
  expect(events[0]?.data).toMatchObject({ expense })
  expect((await expenses.read(expense.id)).status).toBe(404)
})

test('of two concurrent deletions one is 204 and one 404', async () => {
  const { id } = await newExpense()
  const answers = await Promise.all([expenses.remove(id), expenses.remove(id)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404])
})

test('while the case is not OPEN every change of its expenses is 409, and they can be read', async () => {
  const closed = await newCase()
  const requests = own.expenses(closed)
  const { id } = (await requests.create(body())).body
  await others.act(closed, 'close')
  for (const answer of [
    await requests.create(body()),
    await requests.patch(id, { description: 'Y' }),
    await requests.remove(id),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([409, 'illegal_transition'])
  }
  expect((await requests.list()).body.items).toHaveLength(1)
})

test('each command writes an audit entry with its procedure', async () => {
  const { id } = await newExpense()
  await expenses.patch(id, { description: 'Y' })
  await expenses.remove(id)
  for (const verb of ['create', 'patch', 'delete']) {
    const entries = await entriesOf(market, maker.orgId, `case.expense.${verb}`)
    const written = entries.filter(({ request, success }) => success && request.expenseId === id)
    expect([verb, written.length]).toEqual([verb, 1])
  }
})
