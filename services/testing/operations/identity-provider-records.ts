import { newId } from '../../kit/db/ids.ts'
import { createSecretBox } from '../../kit/secrets/box.ts'
import { newSecretToken } from '../../kit/secrets/tokens.ts'
import { recordNameOf, recordValueOf } from '../../organization/identity-providers/domains.ts'
import { insertDomain, insertProvider } from '../../organization/identity-providers/queries.ts'
import { SHARED_DNS } from '../dns.ts'
import { type Account, ALL_KINDS, type Fixtures } from '../fixtures.ts'
import { recordOf } from './record-kind.ts'

const now = () => new Date().toISOString()
export const newDomain = () => `${crypto.randomUUID()}.example.net`

let discovery: Bun.Server<undefined> | undefined

/** A server of discovery documents, which ends with the process. */
function issuer(): string {
  discovery ??= Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => {
      const base = issuer()
      const at = (path: string) => `${base}/${path}`
      return Response.json({
        issuer: base,
        authorization_endpoint: at('authorize'),
        token_endpoint: at('token'),
        jwks_uri: at('jwks'),
      })
    },
  })
  discovery.unref()
  return `http://127.0.0.1:${discovery.port}`
}

interface InsertedProvider {
  providerId: string
  domain: string
}

/** Inserts a provider with a domain that is not proved. The organization keeps few, because their number is limited. */
export async function insertedProvider(
  { market }: Fixtures,
  { orgId }: Account,
  hasRecord = true,
): Promise<InsertedProvider> {
  const { owner } = market.db
  const [providerId, domain] = [newId('idp'), newDomain()]
  const { token: proof } = newSecretToken()
  const box = await createSecretBox(market.config.ENCRYPTION_KEYS)
  const content = {
    name: 'Company login',
    issuer: issuer(),
    clientId: 'marketplace',
    clientSecret: await box.encrypt('a secret'),
    defaultRoleIds: [],
    groupsClaim: null,
    groupRoles: null,
    enforce: false,
    breakGlassUserId: null,
  }
  await owner.begin(async (tx) => {
    await insertProvider(tx, { ...content, id: providerId, orgId }, now())
    await insertDomain(tx, { orgId, providerId, domain, proof })
  })
  if (hasRecord) SHARED_DNS.records.set(recordNameOf(domain), [[recordValueOf(proof)]])
  return { providerId, domain }
}

export const IDENTITY_PROVIDER_RECORDS = {
  identityProvider: recordOf(
    ALL_KINDS,
    'idp',
    async (fixtures, account) => (await insertedProvider(fixtures, account)).providerId,
  ),
}
