import { newId } from '../../kit/db/ids.ts'
import { createSecretBox } from '../../kit/secrets/box.ts'
import { newSecretToken } from '../../kit/secrets/tokens.ts'
import { recordNameOf, recordValueOf } from '../../organization/identity-providers/domains.ts'
import { insertDomain, insertProvider } from '../../organization/identity-providers/queries.ts'
import { insertCode } from '../../organization/sso/queries.ts'
import { SHARED_DNS } from '../dns.ts'
import { type Account, ALL_KINDS, type Fixtures } from '../fixtures.ts'
import { withValue } from './inputs.ts'
import type { OperationSample } from './operation-sample.ts'

const now = () => new Date().toISOString()
const newDomain = () => `${crypto.randomUUID()}.example.net`

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
async function insertedProvider({ market }: Fixtures, { orgId }: Account, hasRecord = true): Promise<InsertedProvider> {
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

const made = async (fixtures: Fixtures, account: Account) => (await insertedProvider(fixtures, account)).providerId

export const IDENTITY_PROVIDER_RECORDS = {
  identityProvider: { owners: ALL_KINDS, make: made, random: () => newId('idp') },
}

/** Each request needs room below the limit. */
const makeRoom = ({ market }: Fixtures, { orgId }: Account) =>
  market.db.owner`delete from organization.identity_providers where org_id = ${orgId}`

export const IDENTITY_PROVIDER_SAMPLES: Record<string, OperationSample> = {
  getIdentityProvider: { references: { 'path.id': 'identityProvider' } },
  createIdentityProvider: {
    references: { 'body.clientId': 'shared', 'body.defaultRoleIds.0': 'role', 'body.breakGlassUserId': 'invited' },
    async values(fixtures, account) {
      await makeRoom(fixtures, account)
      return { 'body.domains': [newDomain()], 'body.enforce': false, 'body.groupRoles': { claim: 'groups', map: {} } }
    },
    conflict: (_, __, input) => withValue(input, 'body.enforce', true),
  },
  patchIdentityProvider: {
    references: {
      'path.id': 'identityProvider',
      'body.clientId': 'shared',
      'body.defaultRoleIds.0': 'role',
      'body.breakGlassUserId': 'invited',
    },
    values: () => ({
      'body.domains': [newDomain()],
      'body.enforce': false,
      'body.groupRoles': { claim: 'groups', map: {} },
    }),
    conflict: (_, __, input) => withValue(input, 'body.enforce', true),
  },
  deleteIdentityProvider: { references: { 'path.id': 'identityProvider' } },
  verifyIdentityDomain: {
    references: { 'path.id': 'identityProvider' },
    async values(fixtures, account) {
      const { providerId, domain } = await insertedProvider(fixtures, account)
      return { 'path.id': providerId, 'body.domain': domain }
    },
    async conflict(fixtures, account, input) {
      const { providerId, domain } = await insertedProvider(fixtures, account, false)
      return withValue(withValue(input, 'path.id', providerId), 'body.domain', domain)
    },
  },
  testIdentityProvider: { references: { 'path.id': 'identityProvider' }, conflict: 'race' },
  exchangeSsoCode: {
    references: { 'body.code': 'credential' },
    async values(fixtures, account) {
      const { orgId, userId } = account
      const { providerId } = await insertedProvider(fixtures, account)
      const [code, browser] = [newSecretToken(), newSecretToken()]
      const expiresAt = new Date(Date.now() + 60_000).toISOString()
      const owned = { orgId, providerId, userId, sessionVersion: 1, expiresAt }
      await fixtures.market.db.owner.begin((tx) =>
        insertCode(tx, { ...owned, codeHash: code.hash, browserHash: browser.hash }, now()),
      )
      return { 'body.code': code.token, 'header.cookie': `marketplace-sso=${browser.token}` }
    },
  },
}
