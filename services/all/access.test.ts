import { describe, expect, test } from 'bun:test'
import { OPERATIONS } from '../../proto/operations.ts'
import { ownerOf, PATHS } from '../../proto/paths.ts'
import { SERVICES } from '../../proto/services.ts'
import { readConfig } from '../kit/config/read.ts'
import { testDatabase } from '../testing/database.ts'
import { type AllConfig, allVariables } from './config.ts'
import { createAll } from './services.ts'

/** Operations that anybody may call without a token: each is here for a reason. */
const PUBLIC = [
  'createToken', // how a token is obtained
  'getActivatePage', // opened before there is a password
  'getDocs', // documentation
  'getDocsAsset', // its scripts and styles
  'getFileObject', // the signed address is the credential
  'getImpersonatePage', // opened by who has no account
  'getJwks', // public keys
  'getOpenApi', // the contract
  'getPublicFile', // whoever added it made it public
  'putUpload', // the signed address is the credential
  'redeemActivation', // the link is the credential
  'redeemImpersonationGrant', // the link is the credential
]

/** Operations that need nothing but a valid token, since the specification restricts them no further. */
const TOKEN_ONLY = /^(list|get|batchGet)|^(revokeToken|changePassword|endSession)$/

/** Procedures by which somebody who acts as another could outlast the grant: an organization comes with a user. */
const CLOSED_RESOURCES = /^((user|role|password|session|impersonationGrant)\.|org\.create$)/

const operations = Object.values(OPERATIONS).flat()

describe('every route', () => {
  test('is guarded, but for a short public list', () => {
    expect(
      operations
        .filter(({ access }) => access === 'public')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(PUBLIC)
  })

  test('that changes something names a permission, or is about the caller alone', () => {
    const open = operations.filter(({ id, access }) => access === 'token' && !TOKEN_ONLY.test(id))
    expect(open.map(({ id }) => id)).toEqual([])
  })

  test('that is a command is audited', () => {
    const silent = operations.filter(
      // The bytes that follow a command are none of their own.
      ({ method, path, audit, takesBytes }) =>
        method !== 'GET' && !path.includes(':batch-get') && !audit && !takesBytes,
    )
    expect(silent.map(({ id }) => id)).toEqual([])
  })

  test('that commands users, roles, passwords, sessions or grants is closed to an impersonation', () => {
    const open = operations.filter(
      ({ access, audit, closedToImpersonation }) =>
        access !== 'public' && CLOSED_RESOURCES.test(audit?.procedure ?? '') && !closedToImpersonation,
    )
    expect(open.map(({ id }) => id)).toEqual([])
  })

  test('has an operation id of its own', () => {
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
  })

  test('belongs to the service that the table of paths gives it to', () => {
    for (const [service, owned] of Object.entries(OPERATIONS)) {
      for (const { path } of owned) expect([path, ownerOf(path) as string]).toEqual([path, service])
    }
  })

  test('is served by that service, and no other is', async () => {
    const db = await testDatabase()
    const config = readConfig(allVariables, {
      ...Object.fromEntries(SERVICES.map((service) => [`${service.toUpperCase()}_DATABASE_URL`, db.urlOf(service)])),
      ENCRYPTION_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
      LOG_LEVEL: 'silent',
      FILES_FOLDER: '/nonexistent',
    }) as AllConfig
    const services = await createAll(config)
    for (const service of SERVICES) {
      const served = services[service].http.operations.map(({ id }) => id).sort()
      expect([service, served]).toEqual([service, OPERATIONS[service].map(({ id }) => id).sort()])
      await services[service].close()
    }
  })
})

test('no two services claim one path', () => {
  const claimed = Object.values(PATHS).flat()
  expect(new Set(claimed).size).toBe(claimed.length)
})

test.each([
  ['/v1/parts', 'sourcing'],
  ['/v1/parts/part_1/files', 'sourcing'],
  ['/v1/partsX', 'identity'],
  ['/v1/categories:batch-get', 'catalog'],
  ['/v1/categories%3Abatch-get', 'catalog'],
  ['/v2.3/webhooks/endpoints', 'webhooks'],
  ['/flows/v1/users/user_1/reset-password', 'organization'],
  ['/flows/v1/sessions', 'identity'],
  ['/', 'identity'],
])('%s goes to %s', (path, owner) => {
  expect(ownerOf(path) as string).toBe(owner)
})
