import { createMarketplace, type Marketplace, password } from '../../../proto/clients/typescript/src/index.ts'
import type { ProgramKey } from './accounts.ts'
import { type DemoDeps, demoPassword } from './requests.ts'
import { emailOf, ORGANIZATIONS } from './story.ts'

/** The service accounts of the demo, each with a new key, by the key of the organization. Older keys are revoked. */
export async function ensurePrograms({ baseUrl: url, secret }: DemoDeps): Promise<Map<string, ProgramKey>> {
  const keys = new Map<string, ProgramKey>()
  for (const org of ORGANIZATIONS) {
    if (!org.program) continue
    const email = emailOf(org.people.administrator, org)
    const market = createMarketplace({ url, credentials: password({ email, password: demoPassword(secret, email) }) })
    const path = { id: await ensureAccount(market, org.program) }
    for await (const { clientId: keyId, revokedTime } of market.pages('/flows/v1/service-accounts/{id}/keys', {
      params: { path },
    })) {
      const params = { path: { ...path, keyId } }
      if (!revokedTime) await market.POST('/flows/v1/service-accounts/{id}/keys/{keyId}/revoke', { params })
    }
    const body = { description: 'Demo' }
    const { data } = await market.POST('/flows/v1/service-accounts/{id}/keys', { params: { path }, body })
    keys.set(org.key, { clientId: data.clientId, clientSecret: data.clientSecret })
  }
  return keys
}

async function ensureAccount(market: Marketplace, { name, role }: { name: string; role: string }): Promise<string> {
  for await (const account of market.pages('/flows/v1/service-accounts')) if (account.name === name) return account.id
  const { data: roles } = await market.GET('/v1/roles', { params: { query: { q: role } } })
  const roleIds = roles.items.filter((one) => one.name === role).map(({ id }) => id)
  return (await market.POST('/flows/v1/service-accounts', { body: { name, roleIds } })).data.id
}
