import { describe, expect, test } from 'bun:test'
import { PERMISSIONS, type Permission } from '../../../proto/permissions.ts'
import { endOf, isBacked, missingPermissions } from './rules.ts'

const now = Date.parse('2026-04-29T09:10:00.000Z')

describe('a grant ends', () => {
  test('an hour from now unless told otherwise, and 24 hours from now at most', () => {
    expect(endOf(undefined, now)).toBe('2026-04-29T10:10:00.000Z')
    expect(endOf('2026-04-30T11:10:00+02:00', now)).toBe('2026-04-30T09:10:00.000Z')
    expect(endOf('2026-04-30T09:10:00.001Z', now)).toBeUndefined()
    expect(endOf('2026-04-29T09:10:00.000Z', now)).toBeUndefined()
    expect(endOf('2020-01-01T00:00:00Z', now)).toBeUndefined()
  })
})

describe('nobody hands out more than they hold', () => {
  const user = (permissions: Permission[]) => ({ permissions, roles: [], operator: false, active: true })

  test('of the keys that count for the user', () => {
    const held = new Set<Permission>(['org:admin'])
    expect(missingPermissions(held, user(['org:admin', 'user:manage']))).toEqual(['user:manage'])
    // Part creation counts for IP owners alone, and this organization is none.
    expect(missingPermissions(held, user(['part:create']))).toEqual([])
  })

  test('when the link is used, either: by who is an administrator still, for a user who is there still', () => {
    const giver = { active: true, permissions: [...PERMISSIONS] }
    expect(isBacked(giver, user(['user:manage']))).toBe(true)
    expect(isBacked({ ...giver, active: false }, user([]))).toBe(false)
    expect(isBacked({ ...giver, permissions: ['user:manage'] }, user([]))).toBe(false)
    expect(isBacked({ ...giver, permissions: ['org:admin'] }, user(['user:manage']))).toBe(false)
    expect(isBacked(giver, { ...user([]), active: false })).toBe(false)
  })
})
