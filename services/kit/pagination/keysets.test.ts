import { expect, test } from 'bun:test'
import { mergeNewestFirst, NEWEST, nameKeyAt, positionOfName, positionOfTime, timeKeyAt } from './keysets.ts'

test('merged lists are newest first, the highest id first among equal times, each entry once', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((id) => ({ timestamp: '2026-01-01T00:00:00.000Z', id }))
  const later = { timestamp: '2026-01-01T00:00:00.001Z', id: '0' }
  if (!a || !b || !c) throw new Error('three keys are expected')
  expect(mergeNewestFirst([[later, b, a], [c, b], []])).toEqual([later, c, b, a])
})

test('a position of a list by time gives its key again; no position is before every entry', () => {
  const key = { timestamp: '2026-04-29T09:10:00.000Z', id: 'audit_1' }
  expect(timeKeyAt(positionOfTime(key))).toEqual(key)
  expect(timeKeyAt(undefined)).toEqual(NEWEST)
})

test('a position of a list by name gives its key again, with spaces in the name; no position is before every name', () => {
  for (const name of ['Viewer', ' Buyer of spare  parts ', '']) {
    const key = { name, id: 'role_1' }
    expect(nameKeyAt(positionOfName(key))).toEqual(key)
  }
  expect(nameKeyAt(undefined)).toEqual({ name: '', id: '' })
})
