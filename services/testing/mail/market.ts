import { DEFAULT_TOPICS, type MailAddress, type MailTopic } from '../../../proto/http/organization/mail-addresses.ts'
import type { ServiceName } from '../../../proto/services.ts'
import { newId } from '../../kit/db/ids.ts'
import { newSecretToken } from '../../kit/secrets/tokens.ts'
import type { KitOptions } from '../../kit/service/service.ts'
import { insertAddress } from '../../organization/mail-addresses/queries.ts'
import { succeeded } from '../client.ts'
import { marketplaceWithWorkers, type TestOrganization } from '../marketplace.ts'
import { until } from '../until.ts'
import { type ReceivedMail, TestMailServer } from './server.ts'

export const MAIL_ADDRESSES = '/flows/v1/mail-addresses'
export const PUBLIC_URL = 'https://market.example.com'

export const newAddress = () => `${crypto.randomUUID()}@example.org`

interface Confirmed {
  id: string
  email: string
  unsubscribeToken: string
}

/** The token in a link of a mail. */
export function tokenIn({ mail }: ReceivedMail, before: string): string {
  const [, token] = new RegExp(`${before}([\\w-]{43})$`, 'm').exec(mail.text ?? '') ?? []
  if (!token) throw new Error(`the mail has no link with ${before}: ${mail.text}`)
  return token
}

/** A marketplace whose mails go to a server in another process. News wait until a test releases them. */
export async function marketplaceWithMail(
  services: readonly ServiceName[] = [],
  overrides: Record<string, string> = {},
  options?: KitOptions,
) {
  const server = await new TestMailServer().start()
  const settings = {
    SMTP_URL: server.url,
    MAIL_FROM: 'Marketplace <no-reply@market.example.com>',
    MAIL_DELAY_SECONDS: '3600',
    PUBLIC_URL,
    ...overrides,
  }
  const market = await marketplaceWithWorkers(services, settings, undefined, options)
  const { owner } = market.db

  const add = async ({ administrator }: TestOrganization, body: object): Promise<MailAddress> => {
    return succeeded(administrator.client.post<MailAddress>(MAIL_ADDRESSES, body))
  }
  const confirm = (token: string) => market.anonymous.post(`${MAIL_ADDRESSES}/confirm`, { token })

  return {
    market,
    server,
    add,
    confirm,
    /** A confirmed address of the organization, which got no mail. */
    async confirmed(
      { orgId, administrator }: TestOrganization,
      topics: readonly MailTopic[] = DEFAULT_TOPICS,
    ): Promise<Confirmed> {
      const [id, email, unsubscribeToken] = [newId('maddr'), newAddress(), newSecretToken().token]
      const confirmationHash = newSecretToken().hash
      const createdBy = administrator.userId
      const address = { id, orgId, email, topics, createdBy, confirmationHash, unsubscribeToken }
      await insertAddress(owner, address, new Date().toISOString())
      await owner`
        update organization.mail_addresses set confirmed_at = now(), confirmation_hash = null, confirmable_until = null where id = ${id}`
      return { id, email, unsubscribeToken }
    },
    /** The kinds of the collected news for an address, once there are so many. */
    collected: ({ id }: { id: string }, count: number): Promise<string[]> =>
      until(
        async () => {
          const rows = await owner<{ kind: string }[]>`
            select item ->> 'kind' as kind from organization.mails m
            cross join lateral jsonb_array_elements(m.items) with ordinality as i (item, n)
            where coalesce(m.address_id, m.user_id) = ${id} and m.kind = 'NOTICE' and m.state = 'PENDING' order by m.created_at, n`
          return rows.length >= count && rows.map(({ kind }) => kind)
        },
        { what: `${count} news for ${id}` },
      ),
    /** Makes the waiting mails due. Those that are due already stay so, because a worker may be claiming them. */
    release: () => owner`update organization.jobs set due_at = now() where kind = 'mail' and due_at > now()`,
  }
}
