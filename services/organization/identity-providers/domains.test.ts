import { afterAll, describe, expect, test } from 'bun:test'
import type { IdentityProvider } from '../../../proto/http/organization/identity-providers.ts'
import type { ApiClient } from '../../testing/client.ts'
import { TestDns } from '../../testing/dns.ts'
import { TestIdentityProvider } from '../../testing/identity-provider.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import type { Problem } from '../../testing/people.ts'
import { createdProvider, PROVIDERS, prove, providerInput, TestBrowser } from '../../testing/sso.ts'
import { checkProofs } from './proofs.ts'

const dns = new TestDns()
const market = await marketplaceOf(['sourcing'], { ALLOW_PRIVATE_ADDRESSES: 'true' }, undefined, {
  resolveTxt: dns.resolveTxt,
})
const org = await market.organization(['IP_OWNER'])
const other = await market.organization(['CONSUMER'])
const { client: admin } = org.administrator
const idp = await TestIdentityProvider.start()
afterAll(() => idp.stop())

const input = (more?: Record<string, unknown>) => providerInput(idp, more)
const remove = (client: ApiClient, { id }: { id: string }) => client.send('DELETE', `${PROVIDERS}/${id}`)

describe('a domain', () => {
  test('is proved by its record alone', async () => {
    const provider = await createdProvider(admin, input({ domains: ['proof.example.net'] }))
    const verify = () =>
      admin.post<IdentityProvider & Problem>(`${PROVIDERS}/${provider.id}/verify-domain`, {
        domain: 'proof.example.net',
      })
    const [domain] = provider.domains
    const missing = await verify()
    expect([missing.status, missing.body.errors?.[0]?.message]).toEqual([
      409,
      `has no TXT record _marketplace-challenge.proof.example.net with the value ${domain?.recordValue}`,
    ])
    dns.records.set('_marketplace-challenge.proof.example.net', [['something else'], [`${domain?.recordValue}x`]])
    expect((await verify()).status).toBe(409)
    dns.failsWith = 'ESERVFAIL'
    expect((await verify()).status).toBe(409)
    dns.failsWith = undefined
    // A long value arrives in chunks.
    const value = domain?.recordValue ?? ''
    dns.records.set('_marketplace-challenge.proof.example.net', [[value.slice(0, 20), value.slice(20)]])
    const proved = await verify()
    expect([proved.status, proved.body.domains[0]?.state]).toEqual([200, 'PROVED'])
    const wrong = await admin.post<Problem>(`${PROVIDERS}/${provider.id}/verify-domain`, {
      domain: 'other.example.net',
    })
    expect(wrong.status).toBe(400)
  })

  test('belongs to the organization that proved it, and a claim reserves nothing', async () => {
    const first = await createdProvider(other.administrator.client, input({ domains: ['claimed.example.net'] }))
    const second = await createdProvider(admin, input({ domains: ['claimed.example.net'] }))
    expect((await prove(admin, dns, second, 'claimed.example.net')).status).toBe(200)
    const late = await prove(other.administrator.client, dns, first, 'claimed.example.net')
    expect([late.status, late.body.errors]).toEqual([
      409,
      [{ field: 'domain', message: 'belongs to another organization' }],
    ])
    await remove(admin, second)
    expect((await prove(other.administrator.client, dns, first, 'claimed.example.net')).status).toBe(200)
  })

  test('is checked daily: it is lost when the record is gone, and after a week without an answer', async () => {
    const { client } = (await market.organization(['IP_OWNER'])).administrator
    const provider = await createdProvider(client, input({ domains: ['daily.example.net', 'silent.example.net'] }))
    for (const name of ['daily.example.net', 'silent.example.net']) await prove(client, dns, provider, name)
    const warned: object[] = []
    const log = { info() {}, warn: (about: object) => warned.push(about), error() {} }
    const stateAfter = async (hours: number) => {
      const now = new Date(Date.now() + hours * 3_600_000).toISOString()
      await checkProofs(
        { sql: market.db.owner, resolveTxt: dns.resolveTxt, now: () => now, log },
        new AbortController().signal,
      )
      const { body } = await client.get<IdentityProvider>(`${PROVIDERS}/${provider.id}`)
      return body.domains.map(({ state }) => state)
    }
    dns.records.delete('_marketplace-challenge.daily.example.net')
    expect(await stateAfter(23)).toEqual(['PROVED', 'PROVED'])
    expect(warned).toEqual([])
    expect(await stateAfter(25)).toEqual(['LOST', 'PROVED'])
    expect(warned).toEqual([{ orgId: expect.any(String), domain: 'daily.example.net' }])
    expect(await new TestBrowser(market).start('a@daily.example.net')).toBeUndefined()
    dns.failsWith = 'ETIMEOUT'
    expect(await stateAfter(6 * 24)).toEqual(['LOST', 'PROVED'])
    expect(await stateAfter(9 * 24)).toEqual(['LOST', 'LOST'])
    dns.failsWith = undefined
    expect((await prove(client, dns, provider, 'daily.example.net')).body.domains[0]?.state).toBe('PROVED')
  })

  test('that is verified while the daily check asks the DNS is not lost by the older answer', async () => {
    const { client } = (await market.organization(['IP_OWNER'])).administrator
    const provider = await createdProvider(client, input({ domains: ['restored.example.net'] }))
    await prove(client, dns, provider, 'restored.example.net')
    const now = new Date(Date.now() + 25 * 3_600_000).toISOString()
    const resolveTxt = async (name: string) => {
      if (name === '_marketplace-challenge.restored.example.net')
        expect((await prove(client, dns, provider, 'restored.example.net')).status).toBe(200)
      return []
    }
    const log = { info() {}, warn() {}, error() {} }
    await checkProofs({ sql: market.db.owner, resolveTxt, now: () => now, log }, new AbortController().signal)
    const { body } = await client.get<IdentityProvider>(`${PROVIDERS}/${provider.id}`)
    expect(body.domains.map(({ state }) => state)).toEqual(['PROVED'])
  })
})
