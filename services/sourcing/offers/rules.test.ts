import { expect, test } from 'bun:test'
import type { FieldError } from '../../../proto/errors.ts'
import { OFFER } from '../../../proto/states/offers.ts'
import { GUARDS, type GuardFacts, stateAt } from './rules.ts'

const NOW = '2030-01-01T00:00:00.000Z'
const met: GuardFacts = {
  rfqState: 'OPEN',
  invitationState: 'READ',
  factory: { isActive: true, needsRelease: true, isReleased: true },
  validUntil: '2030-01-01T00:00:00.001Z',
  hasDraftRevision: false,
  now: NOW,
}

const guardProblems = (verb: 'submit' | 'revise', facts: GuardFacts) =>
  OFFER.problems(verb, GUARDS, facts) as readonly FieldError[]

test('a SUBMITTED offer counts as EXPIRED from its validity on, before the worker has seen it', () => {
  expect(stateAt({ state: 'SUBMITTED', validUntil: '2030-01-01T00:00:00.001Z' }, NOW)).toBe('SUBMITTED')
  expect(stateAt({ state: 'SUBMITTED', validUntil: NOW }, NOW)).toBe('EXPIRED')
  expect(stateAt({ state: 'ACCEPTED', validUntil: NOW }, NOW)).toBe('ACCEPTED')
})

test.each([
  ['rfqId', { rfqState: 'CLOSED' }],
  ['rfqId', { invitationState: 'DECLINED' }],
  ['factoryId', { factory: { isActive: false, needsRelease: false, isReleased: false } }],
  ['factoryId', { factory: { isActive: true, needsRelease: true, isReleased: false } }],
  ['factoryId', { factory: undefined }],
  ['validUntil', { validUntil: NOW }],
] as const)('submit needs %s: %p', (field, facts) => {
  expect(guardProblems('submit', met)).toEqual([])
  expect(guardProblems('submit', { ...met, ...facts }).map((problem) => problem.field)).toEqual([field])
})

test('a consumer without a distributor needs no release of the factory', () => {
  const factory = { isActive: true, needsRelease: false, isReleased: false }
  expect(guardProblems('submit', { ...met, factory })).toEqual([])
})

test('revise needs an OPEN RFQ and no draft revision', () => {
  const facts = { ...met, hasDraftRevision: true, rfqState: 'CLOSED' as const }
  expect(guardProblems('revise', met)).toEqual([])
  expect(guardProblems('revise', facts).map(({ field }) => field)).toEqual(['rfqId', 'revision'])
})
