import { expect, test } from 'bun:test'
import { OPERATIONS } from '../../proto/http/operations.ts'

/** What each operation needs, as the contract has it; pages and documents are public. */
const ACCESS = {
  'POST /v2.3/oauth/token': 'public',
  'POST /v2.3/oauth/revoke': 'token',
  'GET /.well-known/oauth-authorization-server': 'public',
  'GET /.well-known/security.txt': 'public',
  'GET /.well-known/jwks.json': 'public',
  'POST /flows/v1/activations': 'public',
  'POST /flows/v1/activations/introspect': 'public',
  'POST /flows/v1/oauth/token': 'public',
  'POST /flows/v1/oauth/revoke': 'public',
  'POST /flows/v1/oauth/introspect': 'public',
  'POST /flows/v1/sso/token': 'public',
  'GET /flows/v1/passkeys': 'token',
  'GET /flows/v1/passkeys/{id}': 'token',
  'POST /flows/v1/passkeys': 'token',
  'PATCH /flows/v1/passkeys/{id}': 'token',
  'DELETE /flows/v1/passkeys/{id}': 'token',
  'POST /flows/v1/passkeys/confirm': 'token',
  'POST /flows/v1/passkeys/start': 'token',
  'POST /flows/v1/sign-in/password': 'public',
  'POST /flows/v1/sign-in/passkey/start': 'public',
  'POST /flows/v1/sign-in/passkey': 'public',
  'POST /flows/v1/sign-in/first-passkey': 'public',
  'POST /flows/v1/password/change': 'token',
  'GET /flows/v1/sessions': 'token',
  'POST /flows/v1/sessions/{id}/end': 'token',
  'GET /flows/v1/impersonation-grants': 'org:admin',
  'GET /flows/v1/impersonation-grants/{id}': 'org:admin',
  'POST /flows/v1/impersonation-grants': 'org:admin',
  'POST /flows/v1/impersonation-grants/redeem': 'public',
  'POST /flows/v1/impersonation-grants/{id}/revoke': 'org:admin',
}

test('each operation needs the permission of the contract', () => {
  const access = OPERATIONS.identity
    .filter(({ path }) => /^\/(v2\.3|flows|\.well-known)\//.test(path))
    .map(({ method, path, access }) => [`${method} ${path}`, access])
  expect(Object.fromEntries(access)).toEqual(ACCESS)
})
