import { ApiClient } from '../../../services/testing/client.ts'

/**
 * Checks a deployment from inside: every service reaches what it needs, a wrong password is refused, and with EMAIL and
 * PASSWORD the account signs in and reads a catalog.
 */
const { IDENTITY_URL, CATALOG_URL, METRICS_URLS, EMAIL, PASSWORD } = process.env
if (!IDENTITY_URL || !CATALOG_URL) fail('Set IDENTITY_URL and CATALOG_URL to the services.')

const DEPENDENCIES = { database: 'Postgres', nats: 'NATS', storage: 'its file store' }

for (const url of METRICS_URLS?.split(',') ?? []) {
  const metrics = await (await fetch(url)).text()
  for (const [name, dependency] of Object.entries(DEPENDENCIES)) {
    const [, component] = new RegExp(`^marketplace_${name}_up\\{component="(\\w+)"\\} 0$`, 'm').exec(metrics) ?? []
    if (component) fail(`${component} cannot use ${dependency}; its log has the reason.`)
  }
}
if (METRICS_URLS) console.log('Every service reaches Postgres, NATS and the file store.')

const identity = new ApiClient(IDENTITY_URL)
const sent = { grant_type: 'password', username: 'unknown@example.com', password: 'not a password' }
const refused = await identity.post('/v2.3/oauth/token', sent)
if (refused.status !== 401) fail(`A wrong password was answered with ${refused.status}: ${refused.text}`)
console.log('A wrong password is refused.')

const catalog = new ApiClient(CATALOG_URL)
const anonymous = await catalog.get('/v1/materials')
if (anonymous.status !== 401) fail(`A request without a token was answered with ${anonymous.status}: ${anonymous.text}`)
console.log('A request without a token is refused.')

if (EMAIL && PASSWORD) {
  await identity.signIn(EMAIL, PASSWORD)
  catalog.accessToken = identity.accessToken
  const { status, text, body } = await catalog.get<{ items: unknown[] }>('/v1/materials')
  if (status !== 200 || body.items.length === 0) fail(`The materials were answered with ${status}: ${text}`)
  console.log('The account signs in and reads a catalog.')
}

function fail(reason: string): never {
  console.error(reason)
  process.exit(1)
}
