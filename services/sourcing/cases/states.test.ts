import { describe, expect, test } from 'bun:test'
import { CASE_STATES, type CaseState } from '../../../proto/states/cases.ts'

import { casesOf, qualityCase } from '../../testing/cases.ts'
import { after, CASE_VERBS, EXPENSE_VERBS, TASK_VERBS } from '../../testing/contract-states.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { orderParties } from '../../testing/orders.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)

/** The consumer creates the cases, tasks and expenses; the manufacturer closes the cases, and should do the tasks. */
const CALLERS = { consumer, maker, ipOwner, seller, distributor, stranger }
type CallerName = keyof typeof CALLERS
const requestsOf = (caller: CallerName) => casesOf(CALLERS[caller].administrator.client)

/** What a caller is to a case: its closer, another party, or no party. */
const roleOf = (caller: CallerName) => (caller === 'stranger' ? 'none' : caller === 'maker' ? 'closer' : 'party')

async function caseIn(state: CaseState): Promise<string> {
  const { body } = await requestsOf('consumer').create(qualityCase({ orderId: await place() }))
  if (state !== 'OPEN') await requestsOf('maker').act(body.id, 'close')
  if (state === 'ARCHIVED') await requestsOf('seller').act(body.id, 'archive')
  return body.id
}

describe.each(Object.keys(CASE_VERBS) as (keyof typeof CASE_VERBS)[])('%s of a case', (verb) => {
  test.each(Object.keys(CALLERS) as CallerName[])(
    'in every state by %s has the result of the contract',
    async (caller) => {
      const role = roleOf(caller)
      const expected = CASE_STATES.map((state) => {
        // Before a case is closed, no organization has closed it.
        const mayUse =
          (CASE_VERBS[verb].by as readonly string[]).includes(role) || (role === 'party' && state === 'OPEN')
        const next = after(CASE_VERBS[verb], state)
        return `${state}: ${mayUse && next !== undefined ? `200 ${next}` : `${mayUse ? 409 : 404} ${state}`}`
      })
      const tried = CASE_STATES.map(async (state) => {
        const id = await caseIn(state)
        const by = requestsOf(caller)
        const { status } = await (verb === 'edit' ? by.patch(id, { title: 'Another' }) : by.act(id, verb))
        return `${state}: ${status} ${(await requestsOf('consumer').read(id)).body.state}`
      })
      expect(await Promise.all(tried)).toEqual(expected)
    },
  )
})

describe.each(Object.keys(TASK_VERBS) as (keyof typeof TASK_VERBS)[])('%s of a task', (verb) => {
  test.each(Object.keys(CALLERS) as CallerName[])(
    'in every state by %s has the result of the contract',
    async (caller) => {
      const role =
        caller === 'stranger' ? 'none' : caller === 'consumer' ? 'creator' : caller === 'maker' ? 'assignee' : 'party'
      const mayUse = (TASK_VERBS[verb].by as readonly string[]).includes(role)
      const states = ['OPEN', 'COMPLETED'] as const
      const situations = CASE_STATES.flatMap((ofCase) => states.map((state) => ({ ofCase, state })))
      const expected = situations.map(({ ofCase, state }) => {
        const next = ofCase === 'OPEN' ? after(TASK_VERBS[verb], state) : undefined
        if (!mayUse || next === undefined) return `${ofCase} ${state}: ${mayUse ? 409 : 404} ${state}`
        return `${ofCase} ${state}: ${next === 'DELETED' ? 204 : 200} ${next}`
      })
      const tried = situations.map(async ({ ofCase, state }) => {
        const id = await caseIn('OPEN')
        const tasks = requestsOf('consumer').tasks(id)
        const { body } = await tasks.create({ title: 'Report', assigneeOrgId: maker.orgId })
        if (state === 'COMPLETED') await tasks.act(body.id, 'complete')
        await market.db.owner`update sourcing.cases set state = ${ofCase} where id = ${id}`
        const by = requestsOf(caller).tasks(id)
        const send = { patch: () => by.patch(body.id, { title: 'All reports' }), delete: () => by.remove(body.id) }
        const { status } = await (verb === 'complete' || verb === 'assign' ? by.act(body.id, verb) : send[verb]())
        const left = (await tasks.read(body.id)).body.state as string | undefined
        return `${ofCase} ${state}: ${status} ${left ?? 'DELETED'}`
      })
      expect(await Promise.all(tried)).toEqual(expected)
    },
  )
})

describe.each(Object.keys(EXPENSE_VERBS) as (keyof typeof EXPENSE_VERBS)[])('%s of an expense', (verb) => {
  const isDecision = verb === 'approve' || verb === 'reject'

  test.each(Object.keys(CALLERS) as CallerName[])(
    'in every state by %s has the result of the contract',
    async (caller) => {
      const role = caller === 'stranger' ? 'none' : caller === 'consumer' ? 'creator' : 'party'
      const mayUse = (EXPENSE_VERBS[verb].by as readonly string[]).includes(role)
      const states = ['PROPOSED', 'APPROVED', 'REJECTED'] as const
      const situations = CASE_STATES.flatMap((ofCase) => states.map((state) => ({ ofCase, state })))
      const expected = situations.map(({ ofCase, state }) => {
        const next = ofCase === 'OPEN' ? after(EXPENSE_VERBS[verb], state) : undefined
        // The creator reads the expense, but does not decide on it.
        const isFound = mayUse || (isDecision && role === 'creator')
        if (!mayUse || next === undefined) return `${ofCase} ${state}: ${isFound ? 409 : 404} ${state}`
        return `${ofCase} ${state}: ${next === 'DELETED' ? 204 : 200} ${next}`
      })
      const tried = situations.map(async ({ ofCase, state }) => {
        const id = await caseIn('OPEN')
        const expenses = requestsOf('consumer').expenses(id)
        const amount = { amount: '480.5', currency: 'EUR' }
        const { body } = await expenses.create({ description: 'CT scan', amount, incurredDate: '2026-04-29' })
        const decide = requestsOf('maker').expenses(id)
        if (state !== 'PROPOSED') await decide.act(body.id, state === 'APPROVED' ? 'approve' : 'reject')
        await market.db.owner`update sourcing.cases set state = ${ofCase} where id = ${id}`
        const by = requestsOf(caller).expenses(id)
        const send = {
          patch: () => by.patch(body.id, { description: 'Two CT scans' }),
          delete: () => by.remove(body.id),
          approve: () => by.act(body.id, 'approve'),
          reject: () => by.act(body.id, 'reject'),
        }
        const { status } = await send[verb]()
        const left = (await expenses.read(body.id)).body.state as string | undefined
        return `${ofCase} ${state}: ${status} ${left ?? 'DELETED'}`
      })
      expect(await Promise.all(tried)).toEqual(expected)
    },
  )
})
