import { describe, expect, test } from 'bun:test'
import { loggedFields } from './request.ts'

describe('what the audit log keeps of a request', () => {
  test('is what the contract lists, and nothing that is named like a secret, however deep', () => {
    const input = { title: 'a', password: 'x', extra: 1, deep: { secretKey: 'x', list: [{ accessToken: 'x' }] } }
    expect(loggedFields(input, ['title', 'password', 'deep', 'absent'])).toEqual({
      title: 'a',
      password: '[redacted]',
      deep: { secretKey: '[redacted]', list: [{ accessToken: '[redacted]' }] },
    })
  })

  test('has NUL and lone surrogates escaped, in names too; pairs stay as they are', () => {
    expect(loggedFields({ id: 'a\0b\ud800c\u{1f4a9}', more: { 'k\udfff': ['\0'] } }, ['id', 'more'])).toEqual({
      id: 'a\\u0000b\\ud800c\u{1f4a9}',
      more: { 'k\\udfff': ['\\u0000'] },
    })
  })

  test('has at most 16 KiB, counted in bytes; what has no room is named', () => {
    const kept = loggedFields({ id: 'part_1', notes: '\u20ac'.repeat(6000), title: 'a' }, ['id', 'notes', 'title'])
    expect(kept).toEqual({ id: 'part_1', title: 'a', notShown: ['notes'] })
  })
})
