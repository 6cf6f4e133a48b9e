import type { ImpersonationGrant } from '../../../proto/http/identity/impersonation.ts'
import { ApiClient } from '../../../services/testing/client.ts'
import { type DemoDeps, demoPassword, signedIn } from './requests.ts'
import { type DemoOrganization, emailOf, OPERATOR } from './story.ts'

const GRANTS = '/flows/v1/impersonation-grants'
const SUPPORT = emailOf(OPERATOR.people.guest, OPERATOR)

/**
 * Writes audit entries: a refused request of the guest, a failed sign-in, and an impersonation that the organization
 * revokes.
 */
export async function ensureAuditEntries(deps: DemoDeps, org: DemoOrganization): Promise<void> {
  const { administrator, member, guest } = org.people
  const adminClient = await signedIn(deps, emailOf(administrator, org))
  const grants = await adminClient.get<{ items: ImpersonationGrant[] }>(GRANTS)
  if (grants.body.items.length > 0) return
  const guestClient = await signedIn(deps, emailOf(guest, org))
  await expectStatus(guestClient.post('/v1/parts', { title: 'Sketch of a bracket' }), 403)
  await failSignIn(deps, emailOf(member, org))

  const memberClient = await signedIn(deps, emailOf(member, org))
  const request = { userId: subjectOf(memberClient), actingEmail: SUPPORT }
  const created = await adminClient.post<ImpersonationGrant & { url: string }>(GRANTS, {
    ...request,
    reason: 'Ticket 4711: the list of parts looks empty',
  })
  if (created.status !== 201) throw new Error(`The demo was refused: ${created.status} ${created.text}`)
  const support = new ApiClient(deps.baseUrl)
  const token = new URL(created.body.url).hash.slice(1)
  const redeemed = await support.post<{ access_token: string }>(`${GRANTS}/redeem`, { token })
  support.accessToken = redeemed.body.access_token
  await support.get('/v1/parts')
  await expectStatus(support.post(`${GRANTS}`, { ...request, reason: 'More time is needed' }), 403)
  await expectStatus(support.post('/v2.3/oauth/revoke'), 200)
  await expectStatus(adminClient.post(`${GRANTS}/${created.body.id}/revoke`), 200)
  await expectStatus(memberClient.post('/v2.3/oauth/revoke'), 200)
}

const failSignIn = ({ baseUrl, secret }: DemoDeps, email: string) =>
  expectStatus(
    new ApiClient(baseUrl).post('/v2.3/oauth/token', {
      grant_type: 'password',
      username: email,
      password: demoPassword(secret, email).toUpperCase(),
    }),
    401,
  )

/** The user of a token, from its claims. */
const subjectOf = ({ accessToken = '' }: ApiClient): string =>
  JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()).sub

async function expectStatus(answer: Promise<{ status: number; text: string }>, expected: number): Promise<void> {
  const { status, text } = await answer
  if (status !== expected) throw new Error(`The demo expected ${expected} and got ${status} ${text}`)
}
