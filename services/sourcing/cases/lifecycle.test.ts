import { describe, expect, test } from 'bun:test'
import type { CaseEvent } from '../../../proto/events/events.ts'
import type { Case } from '../../../proto/http/sourcing/cases.ts'
import { CASE_STATES, type CaseState } from '../../../proto/states/cases.ts'
import { caseEventsOf, casesOf, inEvents, qualityCase } from '../../testing/cases.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import type { Problem } from '../../testing/people.ts'

const market = await marketplaceOf(['sourcing'], RACING)
const consumer = await market.organization(['CONSUMER'])
const own = casesOf(consumer.administrator.client)

async function created(more: object = {}): Promise<Case & Problem> {
  const { status, body, text } = await own.create(qualityCase(more))
  if (status !== 201) throw new Error(text)
  return body
}

/** The verbs that lead from OPEN to each state. */
const TO_STATE = { OPEN: [], CLOSED: ['close'], ARCHIVED: ['close', 'archive'] } as const
const LEGAL: Record<string, [from: CaseState, to: CaseState, event: CaseEvent['type']]> = {
  close: ['OPEN', 'CLOSED', 'cases.closed'],
  reopen: ['CLOSED', 'OPEN', 'cases.updated'],
  archive: ['CLOSED', 'ARCHIVED', 'cases.archived'],
  unarchive: ['ARCHIVED', 'CLOSED', 'cases.unarchived'],
}

async function inState(state: CaseState): Promise<string> {
  const { id } = await created()
  for (const verb of TO_STATE[state]) await own.act(id, verb)
  return id
}

describe.each(Object.keys(LEGAL))('%s', (verb) => {
  const [from, to, type] = LEGAL[verb] as (typeof LEGAL)[string]

  test(`leads from ${from} to ${to} and emits ${type}`, async () => {
    const id = await inState(from)
    const events = await caseEventsOf(market, async () => {
      const { status, body } = await own.act(id, verb)
      expect([status, body.state]).toEqual([200, to])
    })
    expect(events.map((event) => [event.type, event.tenantId, event.data])).toEqual([
      [type, consumer.orgId, { case: inEvents((await own.read(id)).body) }],
    ])
  })

  test('in every other state it is 409 and emits nothing', async () => {
    for (const state of CASE_STATES.filter((each) => each !== from)) {
      const id = await inState(state)
      const events = await caseEventsOf(market, async () => {
        const { status, body } = await own.act(id, verb)
        expect([status, body.code, body.detail]).toEqual([
          409,
          'illegal_transition',
          `The case is ${state}, not ${from}.`,
        ])
      })
      expect(events).toEqual([])
    }
  })

  test('of two concurrent calls one is 200 and one 409', async () => {
    const id = await inState(from)
    const answers = await Promise.all([own.act(id, verb), own.act(id, verb)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })
})

test('a CLOSED and an ARCHIVED case cannot be patched (409)', async () => {
  for (const state of ['CLOSED', 'ARCHIVED'] as const) {
    const { status, body } = await own.patch(await inState(state), { title: 'Another' })
    expect([status, body.code]).toEqual([409, 'illegal_transition'])
  }
})
