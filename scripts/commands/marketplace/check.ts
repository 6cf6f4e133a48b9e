import { env, exit } from 'node:process'
import { secretIn } from '../../../services/kit/config/read.ts'
import type { CheckedDependency } from '../../../services/kit/service/checks.ts'

/**
 * Checks a deployment from inside: every service can now use what it needs, a wrong password is refused, and with EMAIL
 * and PASSWORD the account signs in and reads a catalog.
 */
const { IDENTITY_URL, CATALOG_URL, HEALTH_URLS } = env
const [EMAIL, PASSWORD] = [secretIn(env, 'EMAIL'), secretIn(env, 'PASSWORD')]
if (!IDENTITY_URL || !CATALOG_URL) fail('Set IDENTITY_URL and CATALOG_URL to the services.')

const failures: string[] = []
for (const url of HEALTH_URLS?.split(',') ?? []) {
  const checked = await fetch(`${url}/checks`)
  if (checked.status !== 200 && checked.status !== 503) await failWith(`${url}/checks`, checked)
  const { checks } = (await checked.json()) as { checks: CheckedDependency[] }
  for (const { component, dependency, failure } of checks)
    if (failure !== null) failures.push(`${component} cannot use ${dependency}: ${failure}`)
}
if (failures.length > 0) fail(failures.join('\n'))
if (HEALTH_URLS) console.log('Every service can use what it needs.')

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
