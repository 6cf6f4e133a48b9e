import { connect } from '../../../services/kit/db/client.ts'
import { ApiClient } from '../../../services/testing/client.ts'
import { demoPassword, ensureOrganization } from '../../demo/people.ts'
import { type DemoOrganization, emailOf } from '../../demo/story.ts'
import { serviceUrl } from '../../local/secrets.ts'
import type { Database } from './database.ts'

const person = (givenName: string) => ({ givenName, familyName: 'Bench' })

const ORGANIZATION: DemoOrganization = {
  key: 'bench',
  name: 'Bench',
  roles: ['CONSUMER', 'IP_OWNER'],
  regionCode: 'NO',
  website: 'https://bench.example.com',
  work: ['Buyer'],
  people: { administrator: person('Ada'), member: person('Ben'), guest: person('Cy') },
}

export interface Account {
  email: string
  password: string
}

/** An organization whose administrator can sign in, made by the product's own commands where it is not there yet. */
export async function ensureAccount({ ownerUrl, secrets }: Database, identityUrl: string): Promise<Account> {
  const sql = connect(serviceUrl(ownerUrl, 'organization', secrets), { max: 2, applicationName: 'bench-people' })
  try {
    const secret = secrets.encryptionKeys
    await ensureOrganization({ sql, baseUrl: identityUrl, secret }, undefined, ORGANIZATION, undefined)
    const email = emailOf(ORGANIZATION.people.administrator, ORGANIZATION)
    return { email, password: demoPassword(secret, email) }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** A session of the account's own. */
export async function signIn(identityUrl: string, { email, password }: Account): Promise<ApiClient> {
  const client = new ApiClient(identityUrl)
  await client.signIn(email, password)
  return client
}
