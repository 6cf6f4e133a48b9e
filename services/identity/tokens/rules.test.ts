import { expect, test } from 'bun:test'
import { classifyUsedToken, missingFields } from './rules.ts'

test('missingFields returns the missing fields of each grant type', () => {
  expect(missingFields({ grant_type: 'password' }).map(({ field }) => field)).toEqual(['username', 'password'])
  expect(missingFields({ grant_type: 'refresh_token' }).map(({ field }) => field)).toEqual(['refresh_token'])
  expect(missingFields({ grant_type: 'refresh_token', refresh_token: 'x' })).toEqual([])
})

const USED_AT = '2026-04-29T09:10:00.000Z'
const later = (ms: number) => Date.parse(USED_AT) + ms

test('a used token is a repeat within ten seconds and a reuse later', () => {
  expect(classifyUsedToken({ usedAt: USED_AT, live: true }, later(10_000))).toBe('repeat')
  expect(classifyUsedToken({ usedAt: USED_AT, live: true }, later(10_001))).toBe('reuse')
})

test('a token of an ended session and an unknown token are invalid', () => {
  expect(classifyUsedToken({ usedAt: USED_AT, live: false }, later(1))).toBe('invalid')
  expect(classifyUsedToken(undefined, later(1))).toBe('invalid')
})

test('an unused token that could not be rotated is invalid', () => {
  expect(classifyUsedToken({ usedAt: null, live: true }, later(1))).toBe('invalid')
})
