import { describe, expect, test } from 'bun:test'
import { loggedFields } from './logged-fields.ts'

describe('the logged fields of a request', () => {
  test('are those of the contract, with fields named like a secret redacted at any depth', () => {
    const input = { title: 'a', password: 'x', extra: 1, deep: { secretKey: 'x', list: [{ accessToken: 'x' }] } }
    expect(loggedFields(input, ['title', 'password', 'deep', 'absent'])).toEqual({
      title: 'a',
      password: '[redacted]',
      deep: { secretKey: '[redacted]', list: [{ accessToken: '[redacted]' }] },
    })
  })

  test('have NUL and lone surrogates escaped, also in names', () => {
    expect(loggedFields({ id: 'a\0b\ud800c\u{1f4a9}', more: { 'k\udfff': ['\0'] } }, ['id', 'more'])).toEqual({
      id: 'a\\u0000b\\ud800c\u{1f4a9}',
      more: { 'k\\udfff': ['\\u0000'] },
    })
  })

  test('have at most 16 KiB, and omitted fields are listed in notShown', () => {
    const kept = loggedFields({ id: 'part_1', notes: '\u20ac'.repeat(6000), title: 'a' }, ['id', 'notes', 'title'])
    expect(kept).toEqual({ id: 'part_1', title: 'a', notShown: ['notes'] })
  })
})
