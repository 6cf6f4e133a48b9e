import { expect, test } from 'bun:test'
import type { FieldError } from '../../../proto/errors.ts'
import { OFFER } from '../../../proto/states/offers.ts'
import { GUARDS, type GuardFacts, stateAt } from './rules.ts'

const NOW = '2030-01-01T00:00:00.000Z'
const met: GuardFacts = {
  rfqState: 'OPEN',
  invitationState: 'READ',
  awaitsAcceptance: false,
  factory: { isActive: true, needsRelease: true, isReleased: true },
  validUntil: '2030-01-01T00:00:00.001Z',
  hasDraftRevision: false,
  isOutdated: true,
  isAskedFor: true,
  isForCurrentVersion: true,
  isSealed: false,
  quantities: [10, 50],
  priceBreaks: [{ minQuantity: 10 }],
  now: NOW,
}

const guardProblems = (verb: 'submit' | 'revise' | 'reconfirm' | 'withdraw', facts: GuardFacts) =>
  OFFER.problems(verb, GUARDS, facts) as readonly FieldError[]

test('a SUBMITTED offer counts as EXPIRED from its validity on, before the worker has seen it', () => {
  expect(stateAt({ state: 'SUBMITTED', validUntil: '2030-01-01T00:00:00.001Z' }, NOW)).toBe('SUBMITTED')
  expect(stateAt({ state: 'SUBMITTED', validUntil: NOW }, NOW)).toBe('EXPIRED')
  expect(stateAt({ state: 'ACCEPTED', validUntil: NOW }, NOW)).toBe('ACCEPTED')
})

test.each([
  ['rfqId', { rfqState: 'CLOSED' }],
  ['rfqId', { invitationState: 'DECLINED' }],
  ['rfqId', { awaitsAcceptance: true }],
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

test('reconfirm needs an outdated offer with a price for each quantity', () => {
  expect(guardProblems('reconfirm', met)).toEqual([])
  expect(OFFER.problems('reconfirm', GUARDS, { ...met, isOutdated: false })).toBe(
    'The offer is for the current version of the RFQ.',
  )
  const dearer = { ...met, priceBreaks: [{ minQuantity: 11 }, { minQuantity: 50 }] }
  expect(guardProblems('reconfirm', dearer)).toEqual([
    { field: 'priceBreaks', message: 'must have a price for 10 pieces: revise the offer' },
  ])
})

test('a current offer of a sealed RFQ that has closed is not withdrawn', () => {
  const closed = { ...met, rfqState: 'CLOSED' as const, isSealed: true, isOutdated: false }
  expect(OFFER.problems('withdraw', GUARDS, closed)).toBe(
    'The sealed RFQ has closed, so its offers are binding until their validity ends.',
  )
  for (const facts of [{ isOutdated: true }, { isSealed: false }, { rfqState: 'OPEN' as const }]) {
    expect(guardProblems('withdraw', { ...closed, ...facts })).toEqual([])
  }
})
