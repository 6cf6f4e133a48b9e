import { timingSafeEqual } from 'node:crypto'
import { MINUTE_MS, timeAfter } from '../../../proto/durations.ts'
import type * as api from '../../../proto/http/organization/identity-providers.ts'
import {
  SSO_CODE_SECONDS,
  SSO_FLOW_MINUTES,
  type SsoProblem,
  type SsoStart,
} from '../../../proto/http/organization/sso.ts'
import { emailSpelling } from '../../kit/addresses/email-spelling.ts'
import { type AuditContext, withRequestFields } from '../../kit/audit/context.ts'
import { recordRefusal, recordSuccess } from '../../kit/audit/record.ts'
import type { CommandOf, PreparationOf } from '../../kit/command/command.ts'
import type { Pool, Sql } from '../../kit/db/client.ts'
import { isUniqueViolation } from '../../kit/db/failures.ts'
import { storableText } from '../../kit/db/storable-text.ts'
import { found, isRefusalOf, notFound, refuse, unavailable } from '../../kit/errors/refusal.ts'
import { browserCookie, browserTokenOf } from '../../kit/http/browser-cookie.ts'
import { networkOf } from '../../kit/http/client-address.ts'
import { Raw } from '../../kit/http/raw.ts'
import type { Log } from '../../kit/log/log.ts'
import { hashOf, newSecretToken } from '../../kit/secrets/tokens.ts'
import { lockStanding } from '../authority/authority.ts'
import { requireEveryPermission } from '../identity-providers/commands.ts'
import { domainOfEmail } from '../identity-providers/domains.ts'
import { findProvider, type ProviderRow } from '../identity-providers/queries.ts'
import { redirectUrlOf } from '../identity-providers/shapes.ts'
import { confirmedEmail, type SignedIn, signInAccount, UserRefused } from './linking.ts'
import { type Oidc, type ProviderClaims, ProviderDeclined, ProviderFailed } from './oidc.ts'
import * as queries from './queries.ts'
import { SsoRefused } from './rules.ts'

export interface SsoDeps {
  sql: Pool
  oidc: Oidc
  publicUrl: string
  log: Log
}

interface Client {
  ipAddress: string | undefined
  signal: AbortSignal
}

const FLOW_MS = SSO_FLOW_MINUTES * MINUTE_MS
const CODE_MS = SSO_CODE_SECONDS * 1000
/**
 * The page of the provider for the domain of an address. The answer is the same for known and unknown addresses.
 */
export async function start(deps: SsoDeps, email: string, client: Client, now: string): Promise<SsoStart | Raw> {
  const address = emailSpelling(email)
  const [owner] = await queries.findProviderOfDomain(deps.sql, domainOfEmail(address))
  const [provider] = owner ? await findProvider(deps.sql, owner.org_id, owner.id) : []
  if (!provider) return {}
  const begun = await beginAt(deps, provider, { ...client, loginHint: address, testedBy: null }, now)
  await insertFlow(deps.sql, begun.flow, now)
  return answerOf(deps, begun)
}

interface Begun {
  flow: queries.NewFlow
  authorizationUrl: string
  browserToken: string
}

async function beginAt(
  { oidc, publicUrl, log }: SsoDeps,
  provider: ProviderRow,
  { ipAddress, signal, loginHint, testedBy }: Client & { loginHint?: string; testedBy: string | null },
  now: string,
): Promise<Begun> {
  const redirectUrl = redirectUrlOf(publicUrl, provider.id)
  const options = { redirectUrl, groupsClaim: provider.groupsClaim, ...(loginHint === undefined ? {} : { loginHint }) }
  const { authorizationUrl, secrets } = await oidc.begin(provider, options, signal).catch((error) => {
    if (!(error instanceof ProviderFailed)) throw error
    log.warn({ err: error, identityProviderId: provider.id }, 'identity provider failed')
    throw unavailable('an identity provider', `${error.message} Try again later, or ask your administrator.`)
  })
  const browser = newSecretToken()
  return {
    authorizationUrl,
    browserToken: browser.token,
    flow: {
      stateHash: hashOf(secrets.state),
      orgId: provider.org_id,
      providerId: provider.id,
      version: provider.version,
      browserHash: browser.hash,
      nonce: secrets.nonce,
      codeVerifier: secrets.codeVerifier,
      testedBy,
      network: networkOf(ipAddress),
      expiresAt: timeAfter(now, FLOW_MS),
    },
  }
}

async function insertFlow(sql: Sql, flow: queries.NewFlow, now: string): Promise<void> {
  if ((await queries.insertFlow(sql, flow, now)).length === 0)
    throw refuse('rate_limited', { headers: { 'retry-after': '60' } })
}

const answerOf = ({ publicUrl }: SsoDeps, { authorizationUrl, browserToken }: Begun) =>
  new Raw(JSON.stringify({ authorizationUrl }), 'application/json', {
    'set-cookie': browserCookie(publicUrl, browserToken, FLOW_MS / 1000),
  })

/** Asks the provider for the page of a test before the transaction. */
export async function prepareTest(
  deps: SsoDeps,
  { caller, params: { id }, auditContext, signal, now }: PreparationOf<typeof api.testIdentityProvider>,
): Promise<{ begun: Begun | undefined }> {
  await requireEveryPermission(deps.sql, caller)
  const [provider] = await findProvider(deps.sql, caller.orgId, id)
  if (!provider) return { begun: undefined }
  return {
    begun: await beginAt(deps, provider, { ipAddress: auditContext.ipAddress, signal, testedBy: caller.userId }, now),
  }
}

export async function test(
  deps: SsoDeps,
  { tx, caller, params: { id }, now, begun }: CommandOf<typeof api.testIdentityProvider> & { begun: Begun | undefined },
): Promise<Raw> {
  await requireEveryPermission(tx, caller)
  // A provider that was changed meanwhile has another version, which the callback refuses.
  found(await findProvider(tx, caller.orgId, id))
  if (!begun) throw notFound()
  await insertFlow(tx, begun.flow, now)
  return answerOf(deps, begun)
}

interface Callback {
  providerId: string
  request: Request
  auditContext: AuditContext
  now: () => string
}

const toConsole = (fragment: string) =>
  new Raw(null, 'text/plain', { location: `/console#${fragment}`, 'referrer-policy': 'no-referrer' }, 302)
const problemPage = (problem: SsoProblem) => toConsole(`sso-problem=${problem}`)

/** Ends a sign-in at a provider with a code for the page, or with a problem. */
export async function finish(deps: SsoDeps, callback: Callback): Promise<Raw> {
  const { sql, publicUrl } = deps
  const { request, providerId, now } = callback
  const query = new URL(request.url, publicUrl).search
  const url = new URL(redirectUrlOf(publicUrl, providerId) + query)
  const state = url.searchParams.get('state')
  const browserToken = browserTokenOf(request, publicUrl)
  if (state === null || url.searchParams.getAll('state').length > 1 || browserToken === undefined)
    return problemPage('expired')
  const [flow] = await queries.takeFlow(sql, hashOf(state), now())
  const browserHash = hashOf(browserToken)
  if (!flow || !timingSafeEqual(flow.browser_hash, browserHash) || flow.provider_id !== providerId)
    return problemPage('expired')
  const [provider] = await findProvider(sql, flow.org_id, flow.provider_id)
  if (!provider || provider.version !== flow.version) return problemPage('expired')
  const secrets = { url, state, nonce: flow.nonce, codeVerifier: flow.code_verifier }
  const asked = () => deps.oidc.finish(provider, secrets, request.signal)
  if (flow.tested_by !== null) return finishTest(deps, provider, asked, now)
  return finishSignIn(deps, { provider, asked, browserHash }, callback)
}

async function finishTest(
  { sql, log }: SsoDeps,
  provider: ProviderRow,
  asked: () => Promise<ProviderClaims>,
  now: () => string,
): Promise<Raw> {
  const outcome: { email: string | undefined; problem: string | undefined } = { email: undefined, problem: undefined }
  try {
    const claims = await asked()
    outcome.email = claims.email && storableText(claims.email, 320)
    confirmedEmail(claims, await queries.provedDomainsOf(sql, provider))
  } catch (error) {
    if (!(error instanceof ProviderFailed || error instanceof SsoRefused)) throw error
    log.warn({ err: error, identityProviderId: provider.id }, 'test of an identity provider failed')
    outcome.problem = error.message
  }
  await queries.recordTest(sql, provider, outcome, now())
  return toConsole(`sso-test=${provider.id}`)
}

interface SignIn {
  provider: ProviderRow
  asked: () => Promise<ProviderClaims>
  browserHash: Uint8Array
}

async function finishSignIn(deps: SsoDeps, signIn: SignIn, { auditContext: received, now }: Callback): Promise<Raw> {
  const { sql, log } = deps
  const { provider } = signIn
  const auditContext = withRequestFields(received, { identityProviderId: provider.id })
  try {
    const claims = await signIn.asked()
    const code = await issueCode(sql, signIn, claims, auditContext, now())
    return toConsole(`sso=${code}`)
  } catch (error) {
    if (error instanceof ProviderDeclined) return problemPage('declined')
    // A browser that comes back is led on, also where too many requests to the provider wait.
    if (error instanceof ProviderFailed || isRefusalOf(error, 'rate_limited')) {
      log.warn({ err: error, identityProviderId: provider.id }, 'sign-in at an identity provider failed')
      return problemPage('provider')
    }
    // The address was given to a user of another organization at the same time.
    if (isUniqueViolation(error, 'users_email')) return problemPage('account')
    if (!(error instanceof SsoRefused)) throw error
    if (error instanceof UserRefused) {
      const { user, reason } = error
      const refused = { ...withRequestFields(auditContext, { reason }), actorId: user.id, orgId: user.org_id }
      await recordRefusal(sql, refused, 'invalid_credentials')
    }
    return problemPage(error.problem)
  }
}

/** One transaction finds or makes the user and stores the code. */
const issueCode = (
  sql: Pool,
  { provider: { org_id: orgId, id, version }, browserHash }: SignIn,
  claims: ProviderClaims,
  auditContext: AuditContext,
  now: string,
): Promise<string> =>
  sql.begin(async (tx) => {
    await lockStanding(tx, orgId)
    // The provider may have been changed or deleted while it was asked.
    const [provider] = await findProvider(tx, orgId, id)
    if (!provider || provider.version !== version) throw new SsoRefused('expired', 'The provider was changed.')
    const signedIn = await signInAccount(tx, provider, claims, now)
    const { user } = signedIn
    await recordProvision(tx, signedIn, auditContext)
    const { token, hash } = newSecretToken()
    const expiresAt = timeAfter(now, CODE_MS)
    const owner = { orgId, providerId: id, userId: user.id, sessionVersion: user.session_version }
    await queries.insertCode(tx, { ...owner, codeHash: hash, browserHash, expiresAt }, now)
    return token
  }) as Promise<string>

/** The entry of a user who was made, or whose roles followed the groups. The sign-in has its own when it ends. */
async function recordProvision(
  tx: Parameters<typeof recordSuccess>[0],
  { user, isNew, grantedRoleIds, withdrawnRoleIds }: SignedIn,
  auditContext: AuditContext,
): Promise<void> {
  if (!isNew && grantedRoleIds.length + withdrawnRoleIds.length === 0) return
  await recordSuccess(tx, {
    ...withRequestFields(auditContext, { userId: user.id, created: isNew, grantedRoleIds, withdrawnRoleIds }),
    procedure: 'user.provision',
    orgId: user.org_id,
    actorId: user.id,
  })
}
