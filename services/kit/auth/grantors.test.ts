import { describe, expect, test } from 'bun:test'
import { PERMISSIONS, type Permission } from '../../../proto/permissions.ts'
import { grantorHasAuthority, missingEffectivePermissions } from './grantors.ts'

describe('the grantor needs the permissions of the user', () => {
  const user = (permissions: Permission[]) => ({ permissions, roles: [], operator: false, active: true })

  test('missingEffectivePermissions returns those that apply to the organization of the user', () => {
    const held = new Set<Permission>(['org:admin'])
    expect(missingEffectivePermissions(held, user(['org:admin', 'user:manage']))).toEqual(['user:manage'])
    // part:create applies only to IP owners.
    expect(missingEffectivePermissions(held, user(['part:create']))).toEqual([])
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
