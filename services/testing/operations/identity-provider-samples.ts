import { newSecretToken } from '../../kit/secrets/tokens.ts'
import { insertCode } from '../../organization/sso/queries.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { insertedProvider, newDomain } from './identity-provider-records.ts'
import { withValue } from './inputs.ts'
import { type OperationSample, unfit } from './operation-sample.ts'

/** Each request needs room below the limit; the newest providers may be in other requests. */
const makeRoom = ({ market }: Fixtures, { orgId }: Account) =>
  market.db.owner`
    delete from organization.identity_providers where org_id = ${orgId} and id not in (
      select id from organization.identity_providers where org_id = ${orgId} order by id desc limit 4)`

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
    // Another provider does not have the domain.
    references: { 'path.id': unfit('identityProvider', 400, 'org:admin') },
    async values(fixtures, account) {
      const { providerId, domain } = await insertedProvider(fixtures, account)
      return { 'path.id': providerId, 'body.domain': domain }
    },
    async conflict(fixtures, account, input) {
      const { providerId, domain } = await insertedProvider(fixtures, account, false)
      return withValue(withValue(input, 'path.id', providerId), 'body.domain', domain)
    },
  },
  testIdentityProvider: { references: { 'path.id': 'identityProvider' } },
  exchangeSsoCode: {
    references: { 'body.code': 'credential' },
    async values(fixtures, account) {
      const { orgId, userId } = account
      const { providerId } = await insertedProvider(fixtures, account)
      const [code, browser] = [newSecretToken(), newSecretToken()]
      const expiresAt = new Date(Date.now() + 60_000).toISOString()
      const owned = { orgId, providerId, userId, sessionVersion: 1, expiresAt }
      await fixtures.market.db.owner.begin((tx) =>
        insertCode(tx, { ...owned, codeHash: code.hash, browserHash: browser.hash }, new Date().toISOString()),
      )
      return { 'body.code': code.token, 'header.cookie': `marketplace-sso=${browser.token}` }
    },
  },
}
