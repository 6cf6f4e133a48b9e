import { expect, test } from 'bun:test'
import { OPERATIONS } from '../testing/operations/contract.ts'

/** What each operation needs, as the contract has it. */
const ACCESS = {
  'GET /v1/audit-log': 'org:admin',
  'GET /v1/audit-log/{id}': 'org:admin',
  'GET /flows/v1/audit-log/export': 'org:admin',
  'GET /flows/v1/business-units': 'token',
  'GET /flows/v1/business-units/{id}': 'token',
  'POST /flows/v1/business-units': 'org:admin',
  'PATCH /flows/v1/business-units/{id}': 'org:admin',
  'DELETE /flows/v1/business-units/{id}': 'org:admin',
  'GET /flows/v1/custom-fields': 'token',
  'GET /flows/v1/custom-fields/{id}': 'token',
  'POST /flows/v1/custom-fields': 'org:admin',
  'PATCH /flows/v1/custom-fields/{id}': 'org:admin',
  'DELETE /flows/v1/custom-fields/{id}': 'org:admin',
  'GET /flows/v1/mail-addresses': 'org:admin',
  'GET /flows/v1/mail-addresses/{id}': 'org:admin',
  'POST /flows/v1/mail-addresses': 'org:admin',
  'PATCH /flows/v1/mail-addresses/{id}': 'org:admin',
  'DELETE /flows/v1/mail-addresses/{id}': 'org:admin',
  'POST /flows/v1/mail-addresses/confirm': 'public',
  'POST /flows/v1/unsubscriptions': 'public',
  'GET /flows/v1/me': 'token',
  'GET /flows/v1/service-accounts': 'user:manage',
  'GET /flows/v1/service-accounts/{id}': 'user:manage',
  'GET /flows/v1/service-accounts/{id}/keys': 'user:manage',
  'POST /flows/v1/service-accounts': 'user:manage',
  'PATCH /flows/v1/service-accounts/{id}': 'user:manage',
  'POST /flows/v1/service-accounts/{id}/keys': 'user:manage',
  'POST /flows/v1/service-accounts/{id}/keys/{keyId}/revoke': 'user:manage',
  'GET /v1/orgs/{id}': 'token',
  'POST /v1/orgs:batch-get': 'token',
  'POST /flows/v1/orgs': 'platform:operate',
  'PATCH /flows/v1/orgs/{id}': 'platform:operate',
  'GET /v1/roles': 'token',
  'GET /v1/roles/{id}': 'token',
  'POST /flows/v1/roles': 'role:manage',
  'PATCH /flows/v1/roles/{id}': 'role:manage',
  'DELETE /flows/v1/roles/{id}': 'role:manage',
  'POST /flows/v1/roles/{id}/grant': 'role:manage',
  'POST /flows/v1/roles/{id}/withdraw': 'role:manage',
  'GET /v1/users': 'token',
  'GET /v1/users/{id}': 'token',
  'POST /flows/v1/users': 'user:manage',
  'PATCH /flows/v1/users/{id}': 'user:manage',
  'POST /flows/v1/users/{id}/activate': 'user:manage',
  'POST /flows/v1/users/{id}/deactivate': 'user:manage',
  'POST /flows/v1/users/{id}/anonymise': 'user:manage',
  'POST /flows/v1/users/{id}/reset-password': 'user:manage',
}

test('each operation needs the permission of the contract', () => {
  const access = OPERATIONS.organization.map(({ method, path, access }) => [`${method} ${path}`, access])
  expect(Object.fromEntries(access)).toEqual(ACCESS)
})
