import { expect } from 'bun:test'
import type { CreatedImpersonationGrant, ImpersonationGrant } from '../../proto/http/identity/impersonation.ts'
import { recordOperatorGrant } from '../identity/impersonation/commands.ts'
import type { Impersonate } from '../kit/audit/context.ts'
import { ApiClient } from './client.ts'
import { RACING, type TestUser, testMarketplace } from './marketplace.ts'

export const GRANTS = '/flows/v1/impersonation-grants'
export type Grant = typeof ImpersonationGrant.static
export type Created = typeof CreatedImpersonationGrant.static
interface Tokens {
  access_token: string
  refresh_token: string
  expires_in: number
}
export const grantRequest = { actingEmail: 'support@example.com', reason: 'Ticket 4711' }
export const tokenOf = ({ url }: Created) => new URL(url).hash.slice(1)

/** A marketplace with an organization whose administrator creates grants, and a clock that can be advanced. */
export async function impersonationFixtures() {
  let aheadMs = 0
  let addresses = 0
  const market = await testMarketplace({ ...RACING, TRUSTED_PROXIES: '1' }, undefined, {
    clock: () => Date.now() + aheadMs,
  })
  const org = await market.organization(['IP_OWNER'])
  const admin = org.administrator

  const soon = (ms: number) => new Date(Date.now() + aheadMs + ms).toISOString()
  /** Redemptions are throttled by IP address, so each one uses a new address. */
  const newAddress = () => ({ 'x-forwarded-for': `10.1.0.${++addresses}`, 'user-agent': 'support/1' })
  const create = (user: TestUser, more: object = {}, by = admin, headers = {}) =>
    by.client.post<Created>(GRANTS, { ...grantRequest, userId: user.userId, ...more }, headers)
  const redeem = (token: string, headers: Record<string, string> = newAddress()) =>
    market.anonymous.post<Tokens>(`${GRANTS}/redeem`, { token }, headers)
  const refresh = (refresh_token: string) =>
    market.anonymous.post<Tokens>('/v2.3/oauth/token', { grant_type: 'refresh_token', refresh_token })

  async function acting(user: TestUser, more: object = {}) {
    const grant = await create(user, more)
    const tokens = await redeem(tokenOf(grant.body))
    expect([grant.status, tokens.status]).toEqual([201, 200])
    return { grant: grant.body, tokens: tokens.body, client: new ApiClient(market.url, tokens.body.access_token) }
  }

  return {
    ...{ market, org, admin, soon, newAddress, create, redeem, refresh, acting },
    advance(ms: number): void {
      aheadMs += ms
    },
    lastAddress: () => `10.1.0.${addresses}`,
  }
}

/** Records acts as the operator's command line does. */
export const impersonateAs =
  (operator: { actingEmail: string; reason: string }): Impersonate =>
  (tx, user, now) =>
    recordOperatorGrant(tx, { ...user, ...operator }, now)
