import { join } from 'node:path'
import type { ServiceName } from '../../../proto/services.ts'
import { ApiClient } from '../../../services/testing/client.ts'
import { asOwner } from '../../../services/testing/load/owner.ts'
import { loadedOrganization } from '../../../services/testing/load/people.ts'
import { BUN, ROOT } from '../../toolchain/checkout.ts'
import { run, tail } from '../../toolchain/run.ts'
import type { Context } from '../context.ts'
import { type Database, LARGEST, ORDINARY } from './database.ts'

export interface Account {
  email: string
  password: string
}

/** The Administrator of a loaded organization, its first user. The password is the same in every run on one database. */
export async function administratorOf({ ownerUrl, secrets }: Database, organization: number): Promise<Account> {
  const [user] = await asOwner(
    ownerUrl,
    (owner) => owner<{ email: string }[]>`
      select email from organization.users
      where org_id = ${loadedOrganization(organization)} and id like 'user_L%' order by id limit 1`,
  )
  const email = user?.email ?? ''
  const password = new Bun.CryptoHasher('sha256').update(`${secrets.encryptionKeys} ${email}`).digest('base64url')
  return { email, password }
}

/** Makes the administrators able to sign in; they keep their passwords for later runs. */
export async function activateAdministrators(context: Pick<Context, 'database' | 'services'>): Promise<void> {
  for (const organization of [LARGEST, ORDINARY]) {
    const { email, password } = await administratorOf(context.database, organization)
    const client = new ApiClient(context.services.identity.url)
    const active = await client.signIn(email, password).then(
      () => true,
      () => false,
    )
    if (active) continue
    await client.activate(await activationToken(context.database, email), password)
  }
}

async function activationToken({ ownerUrl, secrets }: Database, email: string): Promise<string> {
  const env = { ...process.env, DATABASE_URL: ownerUrl, ENCRYPTION_KEYS: secrets.encryptionKeys }
  const { output } = await run([BUN, join(ROOT, 'scripts', 'operator.ts'), 'reset-password', email], { env })
  const token = /^http.*#(.+)$/m.exec(output)?.[1]
  if (!token) throw new Error(`scripts/operator reset-password: ${tail(output, 5)}`)
  return token
}

/** A new session of an administrator, whose requests go to a service. */
export async function signIn(
  { database, services }: Pick<Context, 'database' | 'services'>,
  service: ServiceName,
  organization = ORDINARY,
): Promise<ApiClient> {
  const { email, password } = await administratorOf(database, organization)
  const client = new ApiClient(services.identity.url)
  await client.signIn(email, password)
  client.url = services[service].url
  return client
}
