import { expect, test } from 'bun:test'
import { keyAt, merged, NEWEST, positioned } from './entries.ts'

test('lists are merged newest first, the highest id first among equals, each entry once', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((id) => ({ timestamp: '2026-01-01T00:00:00.000Z', id }))
  const later = { timestamp: '2026-01-01T00:00:00.001Z', id: '0' }
  if (!a || !b || !c) throw new Error('there are three')
  expect(merged([[later, b, a], [c, b], []])).toEqual([later, c, b, a])
})

test('a position leads back to the key that it was made of; none is before every entry', () => {
  const key = { timestamp: '2026-04-29T09:10:00.000Z', id: 'audit_1' }
  expect(keyAt(positioned(key).position)).toEqual(key)
  expect(keyAt(undefined)).toEqual(NEWEST)
})
