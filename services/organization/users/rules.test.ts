import { describe, expect, test } from 'bun:test'
import { emailAddressOf, hasAuthorityFilter, isUnfiltered, splitAuthority } from './rules.ts'

describe('an e-mail address', () => {
  test('is normalised, so that spellings that look the same are the same', () => {
    for (const spelling of ['käthe@x.example', 'ka\u0308the@x.example', 'ｋäthe@x.example']) {
      expect(emailAddressOf(spelling)).toBe('käthe@x.example')
    }
    expect(emailAddressOf('Käthe@X.example')).toBe('Käthe@X.example')
  })

  test('with a second character that becomes @, or too long once normalised, is refused', () => {
    for (const none of ['a＠b@x', 'a@b﹫x', `${'\ufdfa'.repeat(100)}@x`, 'a', '@x', 'a@']) {
      expect(emailAddressOf(none)).toBeUndefined()
    }
  })
})

test('admin, permission and roleId are filters on authority whatever their value', () => {
  for (const filters of [{ admin: false }, { admin: true }, { permission: '' }, { roleId: '' }]) {
    expect(hasAuthorityFilter({ q: 'x', active: true, ...filters })).toBe(true)
  }
  expect(hasAuthorityFilter({ q: 'x', active: false })).toBe(false)
})

test('the authority of a list is its role, else its permission, else org:admin; the others remain filters', () => {
  const none = { q: undefined, active: undefined }
  expect(splitAuthority({ admin: true })).toEqual({ authority: { permission: 'org:admin' }, others: none })
  expect(splitAuthority({ permission: 'p', admin: true })).toEqual({
    authority: { permission: 'p' },
    others: { ...none, admin: true },
  })
  expect(splitAuthority({ roleId: 'r', permission: 'p', q: 'x' })).toEqual({
    authority: { roleId: 'r' },
    others: { ...none, q: 'x', permission: 'p' },
  })
  for (const filters of [{}, { admin: false }, { q: 'x' }]) expect(splitAuthority(filters).authority).toBeUndefined()
})

test('a list is filtered by any value, false and an empty text too', () => {
  for (const filters of [{ admin: false }, { active: false }, { q: '' }]) expect(isUnfiltered(filters)).toBe(false)
  expect(isUnfiltered({ q: undefined })).toBe(true)
})
