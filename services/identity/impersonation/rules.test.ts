import { describe, expect, test } from 'bun:test'
import { PERMISSIONS, type Permission } from '../../../proto/permissions.ts'
import { expiryOf, grantorHasAuthority, missingPermissions } from './rules.ts'

const now = Date.parse('2026-04-29T09:10:00.000Z')

describe('expiryOf', () => {
  test('defaults to an hour from now and allows at most 24 hours', () => {
    expect(expiryOf(undefined, now)).toBe('2026-04-29T10:10:00.000Z')
    expect(expiryOf('2026-04-30T11:10:00+02:00', now)).toBe('2026-04-30T09:10:00.000Z')
    expect(expiryOf('2026-04-30T09:10:00.001Z', now)).toBeUndefined()
    expect(expiryOf('2026-04-29T09:10:00.000Z', now)).toBeUndefined()
    expect(expiryOf('2020-01-01T00:00:00Z', now)).toBeUndefined()
  })
})

describe('the grantor needs the permissions of the user', () => {
  const user = (permissions: Permission[]) => ({ permissions, roles: [], operator: false, active: true })

  test('missingPermissions returns those that apply to the organization of the user', () => {
    const held = new Set<Permission>(['org:admin'])
    expect(missingPermissions(held, user(['org:admin', 'user:manage']))).toEqual(['user:manage'])
    // part:create applies only to IP owners.
    expect(missingPermissions(held, user(['part:create']))).toEqual([])
  })

  test('grantorHasAuthority needs an active grantor with org:admin and all permissions, and an active user', () => {
    const grantor = { active: true, permissions: [...PERMISSIONS] }
    expect(grantorHasAuthority(grantor, user(['user:manage']))).toBe(true)
    expect(grantorHasAuthority({ ...grantor, active: false }, user([]))).toBe(false)
    expect(grantorHasAuthority({ ...grantor, permissions: ['user:manage'] }, user([]))).toBe(false)
    expect(grantorHasAuthority({ ...grantor, permissions: ['org:admin'] }, user(['user:manage']))).toBe(false)
    expect(grantorHasAuthority(grantor, { ...user([]), active: false })).toBe(false)
  })
})
