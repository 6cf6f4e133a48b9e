import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { CaseExpense } from '../../../../proto/http/sourcing/case-expenses.ts'
import { caseEventsOf, casesOf, qualityCase } from '../../../testing/cases.ts'
import { marketplaceOf, RACING, type TestOrganization } from '../../../testing/marketplace.ts'
import { euros } from '../../../testing/offers.ts'
import { entriesOf } from '../../../testing/people.ts'
import { rfqParties } from '../../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'], RACING)
const { consumer, maker, rival, open } = await rfqParties(market)
const of = ({ administrator }: TestOrganization) => casesOf(administrator.client)
const colleague = await maker.member(['case:read', 'case:manage'])
const isExpense = TypeCompiler.Compile(CaseExpense)
const body = { description: 'CT scan', amount: euros('480.5'), incurredDate: '2026-04-29' }

/** An expense that the manufacturer proposed in a case with the consumer. */
async function proposed() {
  const caseId = (await of(maker).create(qualityCase({ rfqId: await open() }))).body.id
  const [own, others] = [of(maker).expenses(caseId), of(consumer).expenses(caseId)]
  return { caseId, own, others, id: (await own.create(body)).body.id }
}

describe('an expense', () => {
  test('is PROPOSED, until another party approves it', async () => {
    const { own, others, id, caseId } = await proposed()
    expect((await others.read(id)).body.state).toBe('PROPOSED')
    const events = await caseEventsOf(market, async () => {
      const { status, body: approved } = await others.act(id, 'approve')
      expect([status, isExpense.Check(approved)]).toEqual([200, true])
      expect(approved).toMatchObject({ state: 'APPROVED', decidedByOrgId: consumer.orgId })
      expect(approved.decidedTime).toBe(approved.updatedTime)
    })
    expect(events.map(({ type, tenantId }) => `${type} ${tenantId}`).toSorted()).toEqual(
      [maker, consumer].map(({ orgId }) => `cases.expenses.updated ${orgId}`).toSorted(),
    )
    const [entry] = await entriesOf(market, consumer.orgId, 'case.expense.approve')
    expect(entry?.request).toEqual({ id: caseId, expenseId: id })
    for (const answer of [await own.patch(id, { description: 'X' }), await own.remove(id)]) {
      expect([answer.status, answer.body.detail]).toEqual([409, 'The expense is APPROVED, not PROPOSED or REJECTED.'])
    }
  })

  test('is rejected with a reason, and proposed again by a change', async () => {
    const { own, others, id } = await proposed()
    const rejected = (await others.act(id, 'reject', { reason: 'Part of the price.' })).body
    expect([rejected.state, rejected.reason, isExpense.Check(rejected)]).toEqual([
      'REJECTED',
      'Part of the price.',
      true,
    ])
    expect((await own.patch(id, {})).body).toEqual(rejected)
    const again = (await own.patch(id, { amount: euros('200') })).body
    expect([again.state, 'reason' in again, 'decidedByOrgId' in again, 'decidedTime' in again]).toEqual([
      'PROPOSED',
      false,
      false,
      false,
    ])
    expect((await others.act(id, 'approve')).status).toBe(200)
  })

  test('is rejected without a reason, and then deleted', async () => {
    const { own, others, id } = await proposed()
    expect('reason' in (await others.act(id, 'reject')).body).toBe(false)
    expect((await own.remove(id)).status).toBe(204)
  })

  test('is not decided by any user of the party that proposed it: 409', async () => {
    const { caseId, own, id } = await proposed()
    const byColleague = casesOf(colleague.client).expenses(caseId)
    for (const by of [own, byColleague]) {
      for (const verb of ['approve', 'reject']) {
        const { status, body: refused } = await by.act(id, verb)
        expect([status, refused.detail]).toEqual([
          409,
          'Another party decides on the expense, because your organization proposed it.',
        ])
      }
    }
  })

  test('in a case of one party is decided by another of its users', async () => {
    const caseId = (await of(maker).create(qualityCase())).body.id
    const [own, byColleague] = [of(maker).expenses(caseId), casesOf(colleague.client).expenses(caseId)]
    const { id } = (await own.create(body)).body
    expect((await own.act(id, 'approve')).body.detail).toBe(
      'Another user of your organization decides on the expense, because you proposed it.',
    )
    // Who changes it proposes it.
    await byColleague.patch(id, { amount: euros('9999') })
    expect((await byColleague.act(id, 'approve')).status).toBe(409)
    expect((await own.act(id, 'approve')).status).toBe(200)
  })

  test('is decided once: of two concurrent decisions one is 409', async () => {
    const { others, id } = await proposed()
    const answers = await Promise.all([others.act(id, 'approve'), others.act(id, 'reject')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test('that was changed since it was read is not approved: 412', async () => {
    const { own, others, id } = await proposed()
    const etag = (await others.read(id)).headers.get('etag') as string
    await own.patch(id, { amount: euros('9999') })
    expect((await others.act(id, 'approve', undefined, { 'if-match': etag })).status).toBe(412)
    expect((await others.read(id)).body.state).toBe('PROPOSED')
  })

  test('of another organization is 404 exactly like an unknown one, and without case:manage it is 403', async () => {
    const { caseId, id } = await proposed()
    for (const target of [id, 'expense_unknown']) {
      expect((await of(rival).expenses(caseId).act(target, 'approve')).status).toBe(404)
    }
    const reader = await consumer.member(['case:read'])
    expect((await casesOf(reader.client).expenses(caseId).act(id, 'approve')).status).toBe(403)
  })

  test('shows no user to any party', async () => {
    const { caseId, others } = await proposed()
    for (const text of [(await others.list()).text, (await of(maker).expenses(caseId).list()).text]) {
      expect(text).not.toContain(maker.administrator.userId)
    }
  })
})
