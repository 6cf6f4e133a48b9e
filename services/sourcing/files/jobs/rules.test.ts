import { expect, test } from 'bun:test'
import { delayAfter, failureOfStatus, maxImportsFor } from './rules.ts'

test('delays grow, and five attempts fit into half an hour', () => {
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
])('a source that responds %d is %s (final: %s)', (status, reason, isFinal) => {
  expect([failureOfStatus(status)?.reason, failureOfStatus(status)?.isFinal]).toEqual([
    reason as never,
    isFinal as never,
  ])
})

test('imports to S3, which buffer parts, are fewer than those to a folder', () => {
  expect([maxImportsFor('folder', 64), maxImportsFor('s3', 64), maxImportsFor('s3', 4)]).toEqual([64, 16, 4])
})
