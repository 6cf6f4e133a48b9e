import { describe, expect, test } from 'bun:test'
import { OPERATIONS } from '../../proto/http/operations.ts'
import { ownerOf, PATHS } from '../../proto/paths.ts'
import { SERVICES } from '../../proto/services.ts'
import { type AllConfig, allVariables } from '../all/config.ts'
import { createAll } from '../all/services.ts'
import { readConfig } from '../kit/config/read.ts'
import { testDatabase } from '../testing/database.ts'

/** Operations without a token, each with the reason. */
const PUBLIC = [
  'confirmMailAddress', // the link is the credential
  'confirmRegistration', // the link is the credential
  'createOauthToken',
  'createPasswordReset', // issues the token
  'createRegistration', // the company has no account yet
  'createToken', // issues the token
  'exchangeSsoCode', // the code and the cookie are the credential
  'getActivatePage', // the user has no password yet
  'getAsyncApi',
  'getAuthorizationServer', // metadata for OAuth clients
  'getClientPackage', // no registry may have it
  'getConsole', // the page, whose script signs in
  'getConsoleAsset',
  'getConsoleRecord',
  'getConsoleScreen',
  'getConsoleView',
  'getDocs', // documentation
  'getDocsAsset', // scripts and styles of the documentation
  'getErrorCodes', // documentation
  'getFavicon', // icon of the pages
  'getFileObject', // the signed URL is the credential
  'getGuide',
  'getImpersonatePage', // the acting person has no account
  'getJwks', // public keys
  'getLlmsText',
  'getMailAddressPage', // the owner of an address may be no user
  'getOpenApi',
  'getOpenApi30', // the contract
  'getOperationText', // documentation
  'getPreview', // the signed URL is the credential
  'getPublicFile',
  'getReference',
  'getReferenceChunk',
  'getReferenceModule', // the file is public
  'getRoot', // says what the marketplace is
  'getSecurityText', // names the contact for vulnerabilities
  'introspectActivation', // the link is the credential
  'introspectEmailInvitation', // the link is the credential
  'introspectMailAddress', // the link is the credential
  'introspectOauthToken', // the client id and secret are the credential
  'introspectRegistration', // the link is the credential
  'putUpload', // the signed URL is the credential
  'redeemActivation', // the link is the credential
  'redeemImpersonationGrant', // the link is the credential
  'revokeOauthToken', // the token is the credential
  'signInWithFirstPasskey', // the challenge after the password and the cookie are the credential
  'signInWithPasskey', // the passkey is the credential
  'signInWithPassword', // the password is the credential
  'ssoCallback', // the state, the code and the cookie are the credential
  'startPasskeySignIn', // the person has no session yet
  'startSso', // the person has no session yet
  'unsubscribeMailAddress', // the link is the credential
]

/** Operations that the specification allows with any valid token, and those that concern only the caller. */
const TOKEN_ONLY =
  /^(list|find|get|batchGet)|^(export(OfferComparison|PackageComparison|Parts)|revokeToken|changePassword|endSession|(confirmWith|start|create|patch|delete)Passkey|patchOwnNotificationSettings|sendOwnConfirmation)$/

/** Procedures through which an impersonation could gain access beyond its grant. `org.create` also creates a user. */
const CLOSED_RESOURCES =
  /^((user|identityProvider|serviceAccount|role|password|session|impersonationGrant|mailAddress|notificationSettings|passkey|signInSettings|ownNotificationSettings)\.|org\.create$|webhookEndpoint\.(create|patch|delete|rotateSecret)$)/

/** Commands whose procedure does not follow from their path. */
const OTHER_PROCEDURES: Record<string, string> = {
  'POST /flows/v1/oauth/token': 'auth.signIn',
  'POST /flows/v1/oauth/introspect': 'auth.signIn',
  'POST /flows/v1/oauth/revoke': 'auth.revoke',
  'POST /v2.3/oauth/token': 'auth.signIn',
  'POST /v2.3/oauth/revoke': 'auth.revoke',
  'POST /flows/v1/activations': 'activation.redeem',
  'POST /flows/v1/sso/start': 'auth.signIn',
  'GET /flows/v1/sso/callback/{id}': 'auth.signIn',
  'POST /flows/v1/sso/token': 'auth.signIn',
  'POST /flows/v1/sign-in/password': 'auth.signIn',
  'POST /flows/v1/sign-in/passkey/start': 'auth.signIn',
  'POST /flows/v1/sign-in/passkey': 'auth.signIn',
  'POST /flows/v1/sign-in/first-passkey': 'passkey.create',
  'PATCH /flows/v1/sign-in-settings': 'signInSettings.patch',
  'PATCH /flows/v1/notification-settings': 'notificationSettings.patch',
  'PATCH /flows/v1/me/notification-settings': 'ownNotificationSettings.patch',
  'POST /flows/v1/me/notification-settings/send-confirmation': 'ownNotificationSettings.sendConfirmation',
  'POST /flows/v1/unsubscriptions': 'mailAddress.unsubscribe',
  'PATCH /v1/parts/{id}/files': 'part.updateFiles',
  'PATCH /flows/v1/rfqs/{id}/files': 'rfq.updateFiles',
  'PATCH /flows/v1/offers/{id}/files': 'offer.updateFiles',
  'PATCH /flows/v1/orders/{id}/files': 'order.updateFiles',
  'PATCH /flows/v1/cases/{id}/files': 'case.updateFiles',
  'POST /flows/v1/rfq-packages/{id}/offers': 'rfqPackage.offer',
  'POST /scim/v2/Users': 'user.create',
  'PUT /scim/v2/Users/{id}': 'user.provision',
  'PATCH /scim/v2/Users/{id}': 'user.provision',
  'DELETE /scim/v2/Users/{id}': 'user.deactivate',
  'POST /scim/v2/Groups': 'role.create',
  'PUT /scim/v2/Groups/{id}': 'role.provision',
  'PATCH /scim/v2/Groups/{id}': 'role.provision',
  'DELETE /scim/v2/Groups/{id}': 'role.delete',
}

/** Reads whose POST keeps the token of a link out of the address. */
const READS = ['introspectActivation', 'introspectMailAddress', 'introspectRegistration', 'introspectEmailInvitation']

/** Lists below a record. */
const COLLECTIONS = [
  'billing-details',
  'change-requests',
  'clarifications',
  'contacts',
  'expenses',
  'extensions',
  'keys',
  'messages',
  'questions',
  'shipments',
  'tasks',
]
const VERB_OF_METHOD: Record<string, string> = { POST: 'create', PATCH: 'patch', DELETE: 'delete' }

const camelCase = (text: string) => text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const singular = (name: string) => {
  const one = name
    .replace(/deliveries$/, 'delivery')
    .replace(/factories$/, 'factory')
    .replace(/addresses$/, 'address')
  return camelCase(one === 'billing-details' ? one : one.replace(/(?<!s)s$/, ''))
}

/** The resource in the singular and camel case, and the verb as in the path. */
function procedureOf(operation: string): string {
  const [method = '', path = ''] = operation.split(' ')
  const names = path
    .replace(/^\/(flows\/v1|v1|v2\.3)\//, '')
    .replace('webhooks/', 'webhook-')
    .split('/')
    .filter((segment) => !segment.startsWith('{'))
  const last = names.at(-1) ?? ''
  const endsInVerb = names.length > 1 && !COLLECTIONS.includes(last)
  const resources = (endsInVerb ? names.slice(0, -1) : names).map(singular)
  return [...resources, endsInVerb ? camelCase(last) : VERB_OF_METHOD[method]].join('.')
}

const CATALOG_LIST = /^\/v1\/(categories|criticalities|materials|processes|standards|technologies|unspsc-categories)$/

const operations = Object.values(OPERATIONS).flat()

describe('every operation', () => {
  test('needs a token, except those on the public list', () => {
    expect(
      operations
        .filter(({ access }) => access === 'public')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(PUBLIC)
  })

  test('that changes data needs a permission, or concerns only the caller', () => {
    const open = operations.filter(({ id, access }) => access === 'token' && !TOKEN_ONLY.test(id))
    expect(open.map(({ id }) => id)).toEqual([])
  })

  test('that is a command has an audit procedure', () => {
    const unaudited = operations.filter(
      // An upload of bytes follows an audited command.
      ({ method, path, audit, acceptsBytes }) =>
        method !== 'GET' && !path.includes(':batch-get') && !audit && !acceptsBytes,
    )
    expect(unaudited.map(({ id }) => id)).toEqual(READS)
  })

  test('that is a command has the audit procedure `<resource>.<verb>` of its path', () => {
    const procedures = operations
      .filter(({ audit }) => audit)
      .map(({ method, path, audit }) => [`${method} ${path}`, audit?.procedure as string])
    const expected = procedures.map(([operation = '']) => [
      operation,
      OTHER_PROCEDURES[operation] ?? procedureOf(operation),
    ])
    expect(procedures).toEqual(expected)
  })

  test('that is a PATCH of a record honours If-Match, and a GET of a record or a catalog has an ETag', () => {
    const family = operations.filter(({ path, page }) => /^\/(v1|flows\/v1)\//.test(path) && !page)
    const patches = family.filter(({ method, path }) => method === 'PATCH' && path.endsWith('}'))
    expect(patches.filter(({ ifMatch }) => !ifMatch).map(({ path }) => path)).toEqual([])
    expect(patches.length).toBeGreaterThan(10)
    const reads = family.filter(
      ({ method, path }) => method === 'GET' && (path.endsWith('}') || CATALOG_LIST.test(path)),
    )
    expect(reads.filter(({ etag }) => !etag).map(({ path }) => path)).toEqual([])
    expect(reads.length).toBeGreaterThan(30)
  })

  test('that would leave access behind is closed to impersonations', () => {
    const open = operations.filter(
      ({ access, audit, changesAuthority, outlivesImpersonation }) =>
        access !== 'public' &&
        CLOSED_RESOURCES.test(audit?.procedure ?? '') &&
        !changesAuthority &&
        !outlivesImpersonation,
    )
    expect(open.map(({ id }) => id)).toEqual([])
  })

  test('has a unique operation id', () => {
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
  })

  test('belongs to the service that owns its path', () => {
    for (const [service, owned] of Object.entries(OPERATIONS)) {
      for (const { path } of owned) expect([path, ownerOf(path) as string]).toEqual([path, service])
    }
  })

  test('is served by its service, which serves no other operation', async () => {
    const db = await testDatabase()
    const config = readConfig(allVariables, {
      ...Object.fromEntries(SERVICES.map((service) => [`${service.toUpperCase()}_DATABASE_URL`, db.urlOf(service)])),
      ENCRYPTION_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
      LOG_LEVEL: 'silent',
      FILES_FOLDER: '/nonexistent',
      REGISTRATION: 'open',
    }) as AllConfig
    const services = await createAll(config)
    for (const service of SERVICES) {
      const served = services[service].http.operations.map(({ id }) => id).sort()
      expect([service, served]).toEqual([service, OPERATIONS[service].map(({ id }) => id).sort()])
      await services[service].close()
    }
  })
})

test('no path belongs to two services', () => {
  const paths = Object.values(PATHS).flat()
  expect(new Set(paths).size).toBe(paths.length)
})

test.each([
  ['/v1/parts', 'sourcing'],
  ['/v1/parts/part_1/files', 'sourcing'],
  ['/v1/partsX', 'identity'],
  ['/v1/categories:batch-get', 'catalog'],
  ['/v1/categories%3Abatch-get', 'catalog'],
  ['/v2.3/webhooks/endpoints', 'webhooks'],
  ['/flows/v1/users/user_1/reset-password', 'organization'],
  ['/scim/v2/Users/user_1', 'organization'],
  ['/flows/v1/sessions', 'identity'],
  ['/flows/v1/me', 'organization'],
  ['/flows/v1/oauth/token', 'identity'],
  ['/flows/v1/parts:batch-get', 'sourcing'],
  ['/', 'identity'],
])('%s goes to %s', (path, owner) => {
  expect(ownerOf(path) as string).toBe(owner)
})
