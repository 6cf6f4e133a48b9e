import { expect, test } from 'bun:test'
import { acceptsCoding } from './stream.ts'

test.each([
  [null, false],
  ['', false],
  ['identity', false],
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['deflate, *', true],
  ['gzip;q=0', false],
  ['gzip;q=0, *', false],
  ['*;q=0', false],
  ['notgzip', false],
])('Accept-Encoding %p: gzip is %p', (accepted, expected) => {
  expect(acceptsCoding(accepted, 'gzip')).toBe(expected)
})
