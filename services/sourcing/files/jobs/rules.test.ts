import { expect, test } from 'bun:test'
import { KeyedSemaphore } from '../../../kit/limits/keyed-semaphore.ts'
import {
  delayAfter,
  failureOfStatus,
  isPreemptionUseful,
  JOB_KINDS,
  JOB_LIMITS,
  type JobKind,
  maxImportsFor,
  shouldGiveUp,
  slowestOf,
  startableKinds,
} from './rules.ts'

const limits = { maxImports: 64, graceMs: 60_000 }

test.each([
  ['import', 1, false, 60_000, false],
  ['import', 4, false, 60_000, false],
  ['import', 5, false, 60_000, true],
  ['import', 1, true, 60_000, true],
  ['import', 1, false, 0, true],
  ['copy', 50, false, 60_000, false],
  ['copy', 1, true, 60_000, true],
  ['copy', 1, false, -1, true],
] as const)(
  'a %s after %d attempts (final: %s, %d ms left) is given up: %s',
  (kind, attempts, isFinal, leftMs, isGivenUp) => {
    expect(shouldGiveUp({ kind, attempts, isFinal, leftMs })).toBe(isGivenUp)
  },
)

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

/** The kinds with a free permit while so many jobs hold one. */
function freeKinds(copies: number, busyImports: number): JobKind[] {
  const { permits, permitsPerKind } = JOB_LIMITS
  const semaphore = new KeyedSemaphore({ what: 'file jobs', permits, permitsPerKey: permitsPerKind })
  for (let n = 0; n < copies; n++) semaphore.acquire('copy')
  for (let n = 0; n < busyImports; n++) semaphore.acquire('import')
  return JOB_KINDS.filter((kind) => semaphore.canAcquire(kind))
}

test.each([
  [0, 0, 0, ['copy', 'import']],
  [0, 6, 0, ['copy']],
  [0, 5, 50, ['copy', 'import']],
  [0, 0, 63, ['copy', 'import']],
  [0, 0, 64, ['copy']],
  [2, 6, 0, []],
  [6, 0, 0, ['import']],
  [6, 2, 0, []],
  [1, 6, 34, ['copy']],
] as const)('next to %d copies, %d imports and %d slow imports %p may start', (copies, busy, slow, kinds) => {
  expect(startableKinds(freeKinds(copies, busy), busy + slow, limits)).toEqual([...kinds])
})

test.each([
  [0, 0, 63, false],
  [0, 0, 64, true],
  [2, 5, 59, true],
  [0, 6, 58, false],
  [6, 2, 62, false],
])(
  'next to %d copies, %d imports and %d slow imports a preemption lets an import start: %p',
  (copies, busy, slow, is) => {
    expect(isPreemptionUseful(freeKinds(copies, busy), busy + slow, limits)).toBe(is)
  },
)

test('the import with the lowest average speed is preempted, after its grace period', () => {
  const slower = { ageMs: 120_000, receivedBytes: 6_000 }
  const recent = { ageMs: 59_999, receivedBytes: 0 }
  const imports = [recent, { ageMs: 60_000, receivedBytes: 5_000 }, slower]
  expect(slowestOf(imports, limits.graceMs)).toBe(slower)
  expect(slowestOf(imports.toReversed(), limits.graceMs)).toBe(slower)
  expect(slowestOf([recent], limits.graceMs)).toBeUndefined()
})

test('imports to S3, which buffer parts, are fewer than those to a folder', () => {
  expect([maxImportsFor('folder', 64), maxImportsFor('s3', 64), maxImportsFor('s3', 4)]).toEqual([64, 16, 4])
})
