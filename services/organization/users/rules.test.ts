import { describe, expect, test } from 'bun:test'
import { addressOf, asksForAuthority, onlyHeld } from './rules.ts'

describe('an address', () => {
  test('has one spelling for what looks the same', () => {
    for (const spelling of ['käthe@x.example', 'ka\u0308the@x.example', 'ｋäthe@x.example']) {
      expect(addressOf(spelling)).toBe('käthe@x.example')
    }
    expect(addressOf('Käthe@X.example')).toBe('Käthe@X.example')
  })

  test('is none with a second sign that looks like @, or when it has grown too long', () => {
    for (const none of ['a＠b@x', 'a@b﹫x', `${'\ufdfa'.repeat(100)}@x`, 'a', '@x', 'a@']) {
      expect(addressOf(none)).toBeUndefined()
    }
  })
})

test('what asks for authority does so whatever its value', () => {
  for (const filters of [{ admin: false }, { admin: true }, { permission: '' }, { roleId: '' }]) {
    expect(asksForAuthority({ q: 'x', active: true, ...filters })).toBe(true)
  }
  expect(asksForAuthority({ q: 'x', active: false })).toBe(false)
})

test('a list is one of holders alone where nothing else narrows it', () => {
  expect(onlyHeld({ roleId: 'r' })).toEqual({ roleId: 'r' })
  expect(onlyHeld({ permission: 'p' })).toEqual({ permission: 'p' })
  expect(onlyHeld({ admin: true })).toEqual({ permission: 'org:admin' })
  for (const filters of [{}, { admin: false }, { roleId: 'r', permission: 'p' }, { admin: true, active: true }]) {
    expect(onlyHeld(filters)).toBeUndefined()
  }
  expect(onlyHeld({ permission: 'p', q: 'x' })).toBeUndefined()
})
