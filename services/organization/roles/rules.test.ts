import { expect, test } from 'bun:test'
import { PERMISSIONS } from '../../../proto/permissions.ts'
import { missingPermissions } from '../authority/rules.ts'
import { inapplicablePermissions, isReserved, systemRolesOf } from './rules.ts'

const owner = { roles: ['IP_OWNER'], operator: false } as const

test('systemRolesOf returns the system roles of an organization with the permissions that apply to it', () => {
  const roles = systemRolesOf(owner)
  expect(roles.map(({ name }) => name)).toEqual(['Administrator', 'IP owner', 'Viewer'])
  expect(roles[0]?.permissions).not.toContain('platform:operate')
  expect(systemRolesOf({ roles: [], operator: true })[0]?.permissions).toContain('platform:operate')
})

test('inapplicablePermissions and missingPermissions return each permission once', () => {
  expect(inapplicablePermissions(['part:create', 'app:consumer', 'platform:operate'], owner)).toEqual([
    'app:consumer',
    'platform:operate',
  ])
  expect(missingPermissions(new Set(['part:create']), ['part:create', 'org:admin', 'org:admin'])).toEqual(['org:admin'])
  expect(missingPermissions(new Set(PERMISSIONS), PERMISSIONS)).toEqual([])
})

test('isReserved is true for names that look like a system role', () => {
  for (const name of ['Viewer', ' viewer', 'ＶＩＥＷＥＲ', 'View\u200ber', 'IP\u00a0owner', 'Distributor']) {
    expect([name, isReserved(name)]).toEqual([name, true])
  }
  for (const name of ['Viewers', 'View er', 'Administration']) expect(isReserved(name)).toBe(false)
})
