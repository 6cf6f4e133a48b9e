import { ApiError, accessToken, createMarketplace, password } from '../../../proto/clients/typescript/src/index.ts'
import { companyOf, type Demo, demoPassword, signedIn } from './companies.ts'
import { type DemoOrganization, emailOf, OPERATOR } from './story.ts'

const SUPPORT = emailOf(OPERATOR.people.guest, OPERATOR)

/** Causes audit entries: a refused request of the guest, a failed sign-in, and a revoked impersonation. */
export async function causeAuditEntries(demo: Demo, org: DemoOrganization): Promise<void> {
  const { administrator, memberId } = companyOf(demo, org.key)
  const { url, secret } = demo
  const guest = signedIn(demo, emailOf(org.people.guest, org))
  await refused(guest.POST('/v1/parts', { body: { title: 'Sketch of a bracket' } }), 403)
  const email = emailOf(org.people.member, org)
  const mistyped = password({ email, password: demoPassword(secret, email).toUpperCase() })
  await refused(createMarketplace({ url, credentials: mistyped }).GET('/flows/v1/me'), 401)

  const body = { userId: memberId, actingEmail: SUPPORT, reason: 'Ticket 4711: the list of parts looks empty' }
  const { data: grant } = await administrator.POST('/flows/v1/impersonation-grants', { body })
  const token = new URL(grant.url).hash.slice(1)
  const redeemed = await createMarketplace({ url }).POST('/flows/v1/impersonation-grants/redeem', { body: { token } })
  const support = createMarketplace({ url, credentials: accessToken(redeemed.data.access_token) })
  await support.GET('/v1/parts')
  const more = { ...body, reason: 'More time is needed' }
  await refused(support.POST('/flows/v1/impersonation-grants', { body: more }), 403)
  await support.POST('/v2.3/oauth/revoke', {})
  await administrator.POST('/flows/v1/impersonation-grants/{id}/revoke', { params: { path: { id: grant.id } } })
}

async function refused(request: Promise<unknown>, status: number): Promise<void> {
  const error = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError) || error.status !== status) throw error ?? new Error(`The demo expected ${status}.`)
}
