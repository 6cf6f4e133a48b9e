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
    const row = { ...user(['user:manage']), grantor_active: true, grantor_permissions: [...PERMISSIONS] }
    const less = { ...row, permissions: [] }
    expect(grantorHasAuthority(row)).toBe(true)
    expect(grantorHasAuthority({ ...less, grantor_active: false })).toBe(false)
    expect(grantorHasAuthority({ ...less, grantor_permissions: ['user:manage'] })).toBe(false)
    expect(grantorHasAuthority({ ...row, grantor_permissions: ['org:admin'] })).toBe(false)
    expect(grantorHasAuthority({ ...less, active: false })).toBe(false)
  })
})
