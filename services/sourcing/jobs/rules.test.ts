import { expect, test } from 'bun:test'
import { delayAfter, importsAtOnce, isOver, judgeStatus, kindsWithRoom, slowestOf, wouldHaveRoom } from './rules.ts'

const MAX_IMPORTS = 64

test.each([
  ['import', 1, false, 60_000, false],
  ['import', 4, false, 60_000, false],
  ['import', 5, false, 60_000, true],
  ['import', 1, true, 60_000, true],
  ['import', 1, false, 0, true],
  ['copy', 50, false, 60_000, false],
  ['copy', 1, true, 60_000, true],
  ['copy', 1, false, -1, true],
] as const)('a %s after %d tries (final: %s, %d ms left) is over: %s', (kind, tries, isFinal, leftMs, over) => {
  expect(isOver({ kind, tries, isFinal, leftMs })).toBe(over)
})

test('waits grow, and five tries have their place in half an hour', () => {
  const delays = [1, 2, 3, 4].map(delayAfter)
  expect(delays).toEqual([...delays].sort((a, b) => a - b))
  expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeLessThan(10 * 60_000)
  expect(delayAfter(100)).toBe(delayAfter(4))
})

test.each([
  [200, undefined, undefined],
  [204, 'source_refused', true],
  [206, 'source_refused', true],
  [301, 'redirected', true],
  [304, 'redirected', true],
  [401, 'source_refused', true],
  [403, 'source_refused', true],
  [404, 'source_refused', true],
  [408, 'unreachable', false],
  [429, 'unreachable', false],
  [500, 'unreachable', false],
  [503, 'unreachable', false],
])('an answer of %d is %s', (status, reason, isFinal) => {
  expect([judgeStatus(status)?.reason, judgeStatus(status)?.isFinal]).toEqual([reason as never, isFinal as never])
})

test.each([
  [0, 0, 0, ['copy', 'import']],
  [0, 6, 0, ['copy']],
  [0, 5, 50, ['copy', 'import']],
  [0, 0, 63, ['copy', 'import']],
  [0, 0, 64, ['copy']],
  [2, 6, 0, []],
  [8, 0, 0, []],
  [7, 0, 0, ['copy', 'import']],
  [1, 40, 0, ['copy']],
] as const)(
  'beside %d copies, %d imports and %d imports from slow sources there is room for %p',
  (copies, busyImports, slowImports, kinds) => {
    expect(kindsWithRoom({ copies, busyImports, slowImports }, MAX_IMPORTS)).toEqual([...kinds])
  },
)

test.each([
  [0, 0, 63, false],
  [0, 0, 64, true],
  [2, 5, 59, true],
  [0, 6, 58, false],
  [8, 0, 64, false],
] as const)(
  'beside %d copies, %d imports and %d imports from slow sources an import would begin if a slow one left: %p',
  (copies, busyImports, slowImports, would) => {
    expect(wouldHaveRoom({ copies, busyImports, slowImports }, MAX_IMPORTS)).toBe(would)
  },
)

const standing = (name: string, heldMs: number, receivedBytes: number, isSlow = true) => ({
  name,
  heldMs,
  receivedBytes,
  isSlow,
})

test('the slowest on the whole gives way, once it had its time', () => {
  const shares = { maxImports: MAX_IMPORTS, graceMs: 60_000 }
  const slower = standing('slower', 120_000, 6_000)
  const places = [
    standing('new', 59_999, 0),
    standing('slow', 60_000, 5_000),
    slower,
    standing('quick', 90_000, 0, false),
  ]
  expect(slowestOf(places, shares)?.name).toBe('slower')
  expect(slowestOf(places.toReversed(), shares)?.name).toBe('slower')
  expect(slowestOf([standing('new', 59_999, 0), standing('quick', 90_000, 0, false)], shares)).toBeUndefined()
})

test('imports to S3, which hold parts in memory, are fewer than those to a folder', () => {
  expect([importsAtOnce(64, { driver: 'folder' }), importsAtOnce(64, { driver: 's3' })]).toEqual([64, 16])
  expect(importsAtOnce(4, { driver: 's3' })).toBe(4)
})
