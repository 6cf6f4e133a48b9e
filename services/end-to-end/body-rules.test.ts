import { expect, test } from 'bun:test'
import { testMarketplace } from '../testing/marketplace.ts'
import type { Problem } from '../testing/people.ts'

const market = await testMarketplace()
const org = await market.organization(['CONSUMER'])
const powerless = await org.member([])

const ID = '01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const twice = { offerId: `offer_${ID}`, quantity: 1 }
const provider = {
  ...{ name: 'Login', issuer: 'https://login.example.com', clientId: 'x', clientSecret: 'y' },
  domains: ['example.net'],
}
const newOrg = {
  ...{ name: 'Skagen', regionCode: 'DK', roles: ['CONSUMER'] },
  administrator: { email: 'anders@example.com', givenName: 'Anders', familyName: 'Juhl' },
}
const amended = (files: object) => ({ files, reason: 'The hub was moved.' })

/** What the schema of an operation cannot express. */
test.each<[method: string, path: string, body: object, fields: string[]]>([
  ['POST', `rfqs/rfq_${ID}/amend`, amended({}), ['files']],
  [
    'POST',
    `rfqs/rfq_${ID}/amend`,
    amended({ remove: ['file_1'], add: [{ uploadId: 'up_1', kind: 'DRAWING', supersedes: 'file_1' }] }),
    ['files.add.0.supersedes'],
  ],
  ['POST', `rfqs/rfq_${ID}/award`, { awards: [twice, twice] }, ['awards.1.offerId']],
  ['POST', `rfqs/rfq_${ID}/reaward`, { awards: [twice, twice] }, ['awards.1.offerId']],
  [
    'POST',
    `rfq-packages/package_${ID}/award`,
    { awards: [twice, twice].map((award) => ({ ...award, rfqId: `rfq_${ID}` })) },
    ['awards.1.offerId'],
  ],
  ['POST', 'custom-fields', { name: 'Lifecycle', options: [{ name: 'A' }, { name: 'A' }] }, ['options.1.name']],
  ['PATCH', `custom-fields/field_${ID}`, { options: [{ name: 'A' }, { name: 'A' }] }, ['options.1.name']],
  ['POST', 'mail-addresses', { email: 'x@service-accounts.example.com' }, ['email']],
  ['POST', 'orgs', { ...newOrg, website: 'https://x:y@example.com' }, ['website']],
  ['POST', 'orgs', { ...newOrg, engagement: 'DISTRIBUTOR' }, ['distributorOrgId']],
  ['PATCH', `orgs/org_${ID}`, { website: 'https://x:y@example.com' }, ['website']],
  ['PATCH', `orgs/org_${ID}`, { engagement: 'DIRECT', distributorOrgId: `org_${ID}` }, ['distributorOrgId']],
  ['POST', 'identity-providers', { ...provider, domains: ['example.net', 'example.7'] }, ['domains.1']],
  ['POST', 'identity-providers', { ...provider, issuer: 'https://login.example.com?tenant=1' }, ['issuer']],
  ['PATCH', `identity-providers/idp_${ID}`, { domains: ['example.7'] }, ['domains.0']],
  ['PATCH', `identity-providers/idp_${ID}`, { issuer: 'https://login.example.com?tenant=1' }, ['issuer']],
])('%s %s with %j is 400 before the permission and the record are checked', async (method, path, body, fields) => {
  const { status, body: problem } = await powerless.client.send<Problem>(method, `/flows/v1/${path}`, { body })
  expect([status, problem.errors?.map(({ field }) => field)]).toEqual([400, fields])
})
