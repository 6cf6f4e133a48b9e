import { env, exit } from 'node:process'

/**
 * Checks a deployment from inside: every service reaches what it needs, a wrong password is refused, and with EMAIL and
 * PASSWORD the account signs in and reads a catalog.
 */
const { IDENTITY_URL, CATALOG_URL, METRICS_URLS, EMAIL, PASSWORD } = env
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

const signIn = (username: string, password: string) =>
  fetch(`${IDENTITY_URL}/v2.3/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'password', username, password }),
  })
const materials = (headers = {}) => fetch(`${CATALOG_URL}/v1/materials`, { headers })

const refused = await signIn('unknown@example.com', 'not a password')
if (refused.status !== 401) await failWith('A wrong password was', refused)
console.log('A wrong password is refused.')

const anonymous = await materials()
if (anonymous.status !== 401) await failWith('A request without a token was', anonymous)
console.log('A request without a token is refused.')

if (EMAIL && PASSWORD) {
  const signedIn = await signIn(EMAIL, PASSWORD)
  if (!signedIn.ok) await failWith('The sign-in was', signedIn)
  const { access_token } = (await signedIn.json()) as { access_token: string }
  const listed = await materials({ authorization: `Bearer ${access_token}` })
  if (!listed.ok) await failWith('The materials were', listed)
  const { items } = (await listed.json()) as { items: unknown[] }
  if (items.length === 0) fail('The catalog of materials is empty: load it with `operator catalog import --defaults`.')
  console.log('The account signs in and reads a catalog.')
}

async function failWith(what: string, answer: Response): Promise<never> {
  return fail(`${what} answered with ${answer.status}: ${await answer.text()}`)
}

function fail(reason: string): never {
  console.error(reason)
  exit(1)
}
