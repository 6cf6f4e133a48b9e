import { keySetOf, listPublicKeys } from '../kit/auth/queries.ts'
import { createTokenReader } from '../kit/auth/tokens.ts'
import { KeyedSemaphore } from '../kit/limits/keyed-semaphore.ts'
import { AUDIENCE, assemble, createKit, type KitOptions, type Service } from '../kit/service/service.ts'
import { LINK_SCRIPTS } from '../site/console/bundle.ts'
import { consoleRoutes } from '../site/console/routes.ts'
import { clientRoutes } from '../site/pages/clients.ts'
import { pageRoutes } from '../site/pages/routes.ts'
import { unknownPage } from '../site/pages/unknown-page.ts'
import { activationRoutes } from './activations/routes.ts'
import { cleanUpIdentity } from './cleanup/queries.ts'
import type { IdentityConfig } from './config.ts'
import { endSessionsWithoutAuthority } from './impersonation/consumer.ts'
import { impersonationRoutes } from './impersonation/routes.ts'
import { ensureKeys } from './keys/commands.ts'
import { PublishedKeys } from './keys/published.ts'
import { keyRoutes } from './keys/routes.ts'
import { createSigner } from './keys/signer.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { createHashing, dummyHash, MAX_KNOWN_NETWORKS } from './passwords/hashing.ts'
import { passwordRoutes } from './passwords/routes.ts'
import { endResetSessions, erasePeople } from './sessions/consumer.ts'
import { listLatestAddresses } from './sessions/queries.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { ssoRoutes } from './sso/routes.ts'
import { signInMetrics } from './tokens/metrics.ts'
import type { TokenDeps } from './tokens/open-session.ts'
import { tokenRoutes } from './tokens/routes.ts'

/** Tokens, sessions, passwords and keys. */
export async function createIdentity(config: IdentityConfig, options?: KitOptions): Promise<Service> {
  const kit = await createKit('identity', config, { ...options, unknownPage })
  const { http, pagination, sql, clock, now, bus, box, auth } = kit
  const tokenOptions = {
    issuer: config.PUBLIC_URL,
    audience: AUDIENCE,
    accessTokenSeconds: config.ACCESS_TOKEN_SECONDS,
  }
  const hashing = createHashing({ slots: config.HASHING_SLOTS, maxWaiting: config.HASHING_QUEUE })
  kit.observeConcurrency(hashing.permits)
  const sign = createSigner({ sql, box, clock, ...tokenOptions })
  const readToken = createTokenReader(async () => keySetOf(await listPublicKeys(sql)))
  const tokens: TokenDeps = {
    sql,
    clock,
    hashing,
    sign,
    accessTokenSeconds: config.ACCESS_TOKEN_SECONDS,
    dummyHash: await dummyHash(hashing),
    refreshSecret: new Uint8Array(),
  }
  const permits = new KeyedSemaphore({
    what: 'requests of clients',
    permits: config.DATABASE_POOL_SIZE,
    permitsPerKey: Math.max(1, Math.floor(config.DATABASE_POOL_SIZE / 2)),
  })
  kit.observeConcurrency(permits)
  const clients = { sql, clock, permits }
  const countSignIn = signInMetrics(kit.registry)
  const published = new PublishedKeys()
  return assemble('identity', kit, {
    features: [
      tokenRoutes({ http, readToken, tokens, countSignIn }),
      oauthRoutes({
        http,
        grants: { clients, tokens, countSignIn },
        revocation: { sql, clients, readToken, now },
        introspection: { sql, claimsIn: (token) => auth.claimsIn(token) },
      }),
      ssoRoutes({ http, tokens, countSignIn, publicUrl: config.PUBLIC_URL }),
      passkeyRoutes({ http, pagination, tokens, countSignIn, publicUrl: config.PUBLIC_URL, now }),
      keyRoutes({ http, publicUrl: config.PUBLIC_URL, published }),
      clientRoutes({ http }),
      pageRoutes({
        http,
        publicUrl: config.PUBLIC_URL,
        hasConsole: config.CONSOLE,
        securityContact: config.SECURITY_CONTACT,
        now,
        scripts: LINK_SCRIPTS,
      }),
      ...(config.CONSOLE
        ? [
            consoleRoutes({
              http,
              publicUrl: config.PUBLIC_URL,
              registration: config.REGISTRATION,
              filesOrigin: config.FILES_ORIGIN,
            }),
          ]
        : []),
      sessionRoutes(kit),
      passwordRoutes({ http, sql, hashing, now }),
      impersonationRoutes({ http, pagination, tokens, publicUrl: config.PUBLIC_URL }),
      activationRoutes({ http, sql, hashing, now }),
    ],
    workers: [endResetSessions(kit), erasePeople(kit), endSessionsWithoutAuthority(kit)],
    cleanup: [(at, signal) => cleanUpIdentity(sql, at, signal)],
    start: async () => {
      for (const { ip_address, org_id } of await listLatestAddresses(sql, MAX_KNOWN_NETWORKS)) {
        hashing.remember(ip_address, org_id)
      }
      tokens.refreshSecret = await ensureKeys(sql, box, now())
      const onEvent = () => {
        sign.forgetKey()
        published.forget()
      }
      const onGap = async () => {
        sign.forgetKey()
        await published.load(() => listPublicKeys(sql))
      }
      await bus.subscribe({ subjects: ['identity.key.revoked'], onEvent, onGap })
    },
  })
}
