import type { OrgInput } from '../../proto/http/organization/orgs.ts'
import type { EmailInvitation } from '../../proto/http/sourcing/email-invitations.ts'
import { marketplaceWithMail, PUBLIC_URL, tokenIn } from './mail/market.ts'
import { RACING, type TestOrganization } from './marketplace.ts'
import type { Page, Problem } from './people.ts'
import { rfqBody, rfqParties, rfqsOf } from './rfqs.ts'

const LINKS = '/flows/v1/email-invitations'

/** A marketplace with mail, the parties of RFQs, and what they do with invitations by e-mail. */
export async function emailInvitationWorld() {
  const world = await marketplaceWithMail(['sourcing'], RACING)
  const { market, server } = world
  const parties = await rfqParties(market)
  /** A consumer of its own, because an organization invites 20 addresses a day. */
  const newBuyer = async (options: Partial<OrgInput> = {}) => {
    const org = await market.organization(['CONSUMER'], options)
    const { client } = org.administrator
    const rfqs = rfqsOf(client)
    const at = (id: string) => `/flows/v1/rfqs/${id}/email-invitations`
    return {
      org,
      orgId: org.orgId,
      client,
      rfqs,
      created: async (more: object = {}) => (await rfqs.create(rfqBody(parties.partId, more))).body.id,
      invite: (id: string, body: object) => rfqs.act(id, 'invite', body),
      list: async (id: string) => (await client.get<Page<EmailInvitation>>(`${at(id)}?pageSize=50`)).body.items,
      decide: (id: string, invitationId: string, verb: string) =>
        client.post<EmailInvitation & Problem>(`${at(id)}/${invitationId}/${verb}`),
    }
  }
  return {
    ...world,
    parties,
    newBuyer,
    /** The token of the link that an address was mailed. */
    linkTo: async (email: string) => {
      const [mail] = await server.arrived(email, 1)
      if (!mail) throw new Error('no mail')
      return tokenIn(mail, `${PUBLIC_URL}/console/invitation#`)
    },
    redeem: (by: TestOrganization, token: string) =>
      by.administrator.client.post<{ consumerName: string } & Problem>(`${LINKS}/redeem`, { token }),
    introspect: (token: string) => market.anonymous.post<Problem>(`${LINKS}/introspect`, { token }),
  }
}
