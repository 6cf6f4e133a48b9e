import { expect, test } from 'bun:test'
import { isUnfiltered } from '../../kit/pagination/search.ts'
import { hasAuthorityFilter, splitAuthority } from './rules.ts'

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
