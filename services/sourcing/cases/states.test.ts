import { expect, test } from 'bun:test'
import { CASE_STATES } from '../../../proto/http/sourcing/cases.ts'
import { CASE_TRANSITIONS, type CaseVerb, isLegal } from './states.ts'

test('every state is left by a verb, and every state but OPEN is entered by one', () => {
  const verbs = Object.keys(CASE_TRANSITIONS) as CaseVerb[]
  const moving = (Object.entries(CASE_TRANSITIONS) as [CaseVerb, { to?: string }][]).filter(([, { to }]) => to)
  for (const state of CASE_STATES) expect([state, verbs.some((verb) => isLegal(verb, state))]).toEqual([state, true])
  expect([...new Set(moving.map(([, { to }]) => to))].toSorted()).toEqual(CASE_STATES.toSorted())
})
