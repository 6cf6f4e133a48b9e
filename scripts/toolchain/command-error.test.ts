import { expect, test } from 'bun:test'
import { CommandError, explain, sentenceFor } from './command-error.ts'

test.each([
  ['npm error code ENOSPC', /^The disk is full/],
  ['initdb: error: could not write to file "x": No space left on device', /^The disk is full/],
  ['error: NoSpaceLeft extracting tarball', /^The disk is full/],
  ['npm error request failed, reason: getaddrinfo ENOTFOUND example.org', /^The package registry cannot be reached/],
  ['error: ConnectionRefused downloading package manifest', /^The package registry cannot be reached/],
  ['error: DNSResolveFailed downloading tarball pg@8.23.1', /^The package registry cannot be reached/],
  ['WARNING: NewConnectionError: Failed to establish a new connection', /^The package registry cannot be reached/],
  ['dial tcp: lookup example.org: no such host', /^The package registry cannot be reached/],
  ['The migration catalog/0001_x.sql was changed after it was applied.', /^The data was written by an earlier build/],
])('%p is one sentence', (words, sentence) => {
  expect(sentenceFor(words)).toMatch(sentence)
  expect(sentenceFor(words)).not.toContain('\n')
})

test('an unknown error keeps its own text', () => {
  expect(sentenceFor('error: lockfile had changes, but lockfile is frozen')).toBeUndefined()
})

test('an error of a command: without a stack; an unexpected error: with its stack', () => {
  expect(explain(new CommandError('Do this.'))).toBe('Do this.')
  expect(explain(new Error('broken'))).toContain('command-error.test.ts')
})

test('a full disk: one sentence from any source', () => {
  expect(explain(Object.assign(new Error('write failed'), { code: 'ENOSPC' }))).toMatch(/^The disk is full/)
})

test('a database that does not answer: not reported as the package registry', () => {
  expect(explain(new Error('connect ECONNREFUSED 127.0.0.1:5432'))).not.toContain('registry')
})

test("another user's folder: one sentence with its path", () => {
  const error = Object.assign(new Error('permission denied, open'), {
    code: 'EACCES',
    path: '/checkout/.dev/secrets.json',
  })
  expect(explain(error)).toMatch(
    /^\/checkout\/\.dev\/secrets\.json belongs to another user: run .* as its owner, or remove it\.$/,
  )
})
