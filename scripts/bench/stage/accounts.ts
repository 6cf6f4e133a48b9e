import { join } from 'node:path'
import { ApiClient } from '../../../services/testing/client.ts'
import { asOwner } from '../../../services/testing/load/owner.ts'
import { loadedOrganization } from '../../../services/testing/load/people.ts'
import { BUN, ROOT } from '../../toolchain/checkout.ts'
import { run, tail } from '../../toolchain/run.ts'
import type { Account } from '../context.ts'
import type { Database } from './database.ts'
import type { Services } from './services.ts'

const OPERATOR = 'operator@bench.example.com'
const ADMINISTRATOR = 'ada@bench.example.com'

/** An administrator who may create and read parts, made with `scripts/operator` and over HTTP. */
export async function ensureAccount(
  database: Database,
  { identity, organization }: Pick<Services, 'identity' | 'organization'>,
): Promise<Account> {
  const account = accountOf(database, ADMINISTRATOR)
  if (await canSignIn(identity.url, account)) return account
  const bootstrap = `bootstrap --email ${OPERATOR} --given-name Olav --family-name Bench --organization Platform --region NO`
  const operator = accountOf(database, OPERATOR)
  await activate(identity.url, operator, await operatorLink(database, bootstrap, `reset-password ${OPERATOR}`))
  const client = await signIn(identity.url, operator)
  client.url = organization.url
  const { status, body, text } = await client.post<{ activationUrl: string }>('/flows/v1/orgs', {
    name: 'Bench',
    roles: ['CONSUMER', 'IP_OWNER'],
    regionCode: 'NO',
    administrator: { email: ADMINISTRATOR, givenName: 'Ada', familyName: 'Bench' },
  })
  if (status !== 201 && status !== 409) throw new Error(`creating the organization: ${status} ${text}`)
  const link = status === 201 ? body.activationUrl : await operatorLink(database, `reset-password ${ADMINISTRATOR}`)
  await activate(identity.url, account, link)
  return account
}

/** The first loaded user, who is an Administrator of the largest organization. */
export async function ensureLargestAccount(database: Database, identityUrl: string): Promise<Account> {
  const [user] = await asOwner(
    database.ownerUrl,
    (owner) => owner<{ email: string }[]>`
      select email from organization.users where org_id = ${loadedOrganization(0)} order by id limit 1`,
  )
  const account = accountOf(database, user?.email ?? '')
  if (await canSignIn(identityUrl, account)) return account
  await activate(identityUrl, account, await operatorLink(database, `reset-password ${account.email}`))
  return account
}

/** Signs in; requests go to `serviceUrl` then. */
export async function signIn(identityUrl: string, { email, password }: Account, serviceUrl = identityUrl) {
  const client = new ApiClient(identityUrl)
  await client.signIn(email, password)
  client.url = serviceUrl
  return client
}

const canSignIn = (identityUrl: string, account: Account) =>
  signIn(identityUrl, account).then(
    () => true,
    () => false,
  )

const activate = (identityUrl: string, { password }: Account, link: string) =>
  new ApiClient(identityUrl).activate(link.split('#')[1] ?? '', password)

/** The same password in every run on one database. */
const accountOf = ({ secrets }: Database, email: string): Account => ({
  email,
  password: new Bun.CryptoHasher('sha256').update(`${secrets.encryptionKeys} ${email}`).digest('base64url'),
})

/** The activation link that a command prints: the first of the commands that succeeds. */
async function operatorLink({ ownerUrl, secrets }: Database, ...commands: string[]): Promise<string> {
  const env = { ...process.env, DATABASE_URL: ownerUrl, ENCRYPTION_KEYS: secrets.encryptionKeys }
  let said = ''
  for (const command of commands) {
    const { code, output } = await run([BUN, join(ROOT, 'scripts', 'operator.ts'), ...command.split(' ')], { env })
    const link = /^http.*#.+$/m.exec(output)?.[0]
    if (code === 0 && link) return link
    said = output
  }
  throw new Error(`scripts/operator ${commands.at(-1)}: ${tail(said, 5)}`)
}
