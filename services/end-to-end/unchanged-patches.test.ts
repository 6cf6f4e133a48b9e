import { expect, test } from 'bun:test'
import type { ApiClient } from '../testing/client.ts'
import { createFactory } from '../testing/factories.ts'
import { marketplaceWithMail } from '../testing/mail/market.ts'
import type { TestOrganization } from '../testing/marketplace.ts'
import { offerBody } from '../testing/offers.ts'
import { DOCUMENTED } from '../testing/operations/document.ts'
import { insertAssignedOrder } from '../testing/orders.ts'
import { addPasskey } from '../testing/passkeys.ts'
import { entriesOf, newPerson } from '../testing/people.ts'
import { inHours, publishedPart, rfqBody } from '../testing/rfqs.ts'

const { market } = await marketplaceWithMail(['sourcing'])
const { owner } = market.db
const trader = await market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER'], {
  website: 'https://trader.example.com',
})
const operator = await market.operator()
const { client } = trader.administrator

async function created(path: string, body: object): Promise<string> {
  const answer = await client.post<{ id: string }>(path, body)
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
  return answer.body.id
}

const partId = await publishedPart(client, {
  title: 'Impeller',
  description: 'Six vanes.',
  keywords: ['pump', 'impeller'],
})
const { id: factoryId } = await createFactory(client, { name: 'Odense' })
const rfq = rfqBody(partId, { manufacturerIds: [trader.orgId], requirements: 'First article inspection.' })
const rfqId = await created('/flows/v1/rfqs', rfq)
const openRfqId = await created('/flows/v1/rfqs', rfq)
await client.post(`/flows/v1/rfqs/${openRfqId}/publish`)
const offer = offerBody(openRfqId, factoryId, { notes: 'Heat treatment is included.' })
const offerId = await created('/flows/v1/offers', offer)
const dueTime = inHours(5)
const caseId = await created('/flows/v1/cases', { kind: 'QUALITY', title: 'Porosity', description: 'Pores of 0.4 mm.' })
const orderId = await insertAssignedOrder(owner, {
  consumerOrgId: trader.orgId,
  ipOwnerOrgId: trader.orgId,
  manufacturerOrgId: trader.orgId,
  sellerOrgId: trader.orgId,
  partId,
  factoryId,
})
const [assignment] = await owner<{ id: string }[]>`select id from sourcing.assignments where order_id = ${orderId}`
const assignmentPath = `/flows/v1/assignments/${assignment?.id}`
const fieldId = await created('/flows/v1/custom-fields', { name: 'Lifecycle', options: [{ name: 'Current' }] })
const optionId = (await client.get<{ options: { id: string }[] }>(`/flows/v1/custom-fields/${fieldId}`)).body.options[0]
  ?.id
const person = newPerson({ phone: '+45 20 12 34 56' })
const address = { regionCode: 'NO', locality: 'Bergen', lines: ['Kajen 4'] }

interface Unchanged {
  /** The path of the read; that of the patch where it differs. */
  read: string
  patch?: string
  /** The stored value of every field that the patch can have. */
  body: object
  procedure: string
  by?: TestOrganization
}

const CASES: Record<string, () => Promise<Unchanged>> = {
  patchPart: async () => ({
    read: `/v1/parts/${partId}`,
    patch: `/flows/v1/parts/${partId}`,
    body: { title: 'Impeller', description: 'Six vanes.', keywords: ['pump', 'impeller'], externalRef: null },
    procedure: 'part.patch',
  }),
  patchRfq: async () => ({
    read: `/v1/rfqs/${rfqId}`,
    patch: `/flows/v1/rfqs/${rfqId}`,
    body: { ...rfq, incoterm: null },
    procedure: 'rfq.patch',
  }),
  patchRfqPackage: async () => {
    const { partId: _, quantities: __, ...terms } = rfq
    const body = { title: 'Pump overhaul' }
    const id = await created('/flows/v1/rfq-packages', { ...body, lines: [{ partId }], ...terms })
    return { read: `/flows/v1/rfq-packages/${id}`, body, procedure: 'rfqPackage.patch' }
  },
  patchOffer: async () => {
    const { rfqId: _, ...terms } = offer
    return {
      read: `/v1/offers/${offerId}`,
      patch: `/flows/v1/offers/${offerId}`,
      body: { ...terms, toolingCost: null },
      procedure: 'offer.patch',
    }
  },
  patchFactory: async () => ({
    read: `/v1/factories/${factoryId}`,
    patch: `/flows/v1/factories/${factoryId}`,
    body: { name: 'Odense', internal: false },
    procedure: 'factory.patch',
  }),
  patchCase: async () => ({
    read: `/flows/v1/cases/${caseId}`,
    body: { title: 'Porosity', description: 'Pores of 0.4 mm.' },
    procedure: 'case.patch',
  }),
  patchCaseTask: async () => {
    const path = `/flows/v1/cases/${caseId}/tasks`
    const body = { title: 'Report', dueTime }
    return {
      read: `${path}/${await created(path, body)}`,
      body: { ...body, description: null },
      procedure: 'case.task.patch',
    }
  },
  patchCaseExpense: async () => {
    const path = `/flows/v1/cases/${caseId}/expenses`
    const body = { description: 'CT scan', amount: { amount: '120.50', currency: 'EUR' }, incurredDate: '2026-04-29' }
    return { read: `${path}/${await created(path, body)}`, body, procedure: 'case.expense.patch' }
  },
  patchAssignmentContact: async () => {
    const path = `${assignmentPath}/contacts`
    const body = { name: 'Ida Holm', email: 'ida.holm@example.com' }
    const read = `${path}/${await created(path, body)}`
    return { read, body: { ...body, phone: null }, procedure: 'assignment.contact.patch' }
  },
  patchBillingDetails: async () => {
    const path = `${assignmentPath}/billing-details`
    const body = { companyName: 'Skagen Pumps', address, taxId: 'NO 914 778 271' }
    const read = `${path}/${await created(path, body)}`
    return { read, body: { ...body, reference: null }, procedure: 'assignment.billingDetails.patch' }
  },
  patchBusinessUnit: async () => {
    const id = await created('/flows/v1/business-units', { name: 'Marine' })
    return { read: `/flows/v1/business-units/${id}`, body: { name: 'Marine' }, procedure: 'businessUnit.patch' }
  },
  patchCustomField: async () => ({
    read: `/flows/v1/custom-fields/${fieldId}`,
    body: { name: 'Lifecycle', options: [{ id: optionId, name: 'Current' }] },
    procedure: 'customField.patch',
  }),
  patchRole: async () => {
    const body = { name: 'Drawing office', permissions: ['webhook:manage', 'part:create'] }
    const id = await created('/flows/v1/roles', body)
    return { read: `/v1/roles/${id}`, patch: `/flows/v1/roles/${id}`, body, procedure: 'role.patch' }
  },
  patchUser: async () => {
    const id = await created('/flows/v1/users', person)
    return { read: `/v1/users/${id}`, patch: `/flows/v1/users/${id}`, body: person, procedure: 'user.patch' }
  },
  patchServiceAccount: async () => {
    const body = { name: 'ERP', description: 'Copies orders.' }
    const id = await created('/flows/v1/service-accounts', body)
    return { read: `/flows/v1/service-accounts/${id}`, body, procedure: 'serviceAccount.patch' }
  },
  patchIdentityProvider: async () => {
    const body = { name: 'Login', issuer: 'https://login.example.com', clientId: 'x', domains: ['b.example.net'] }
    const id = await created('/flows/v1/identity-providers', { ...body, clientSecret: 'y' })
    return { read: `/flows/v1/identity-providers/${id}`, body, procedure: 'identityProvider.patch' }
  },
  patchMailAddress: async () => {
    const id = await created('/flows/v1/mail-addresses', { email: 'sales@example.com', topics: ['ORDERS', 'OFFERS'] })
    const body = { topics: ['OFFERS', 'ORDERS'] }
    return { read: `/flows/v1/mail-addresses/${id}`, body, procedure: 'mailAddress.patch' }
  },
  patchPasskey: async () => ({
    read: `/flows/v1/passkeys/${(await addPasskey(market, trader.administrator.client, { name: 'Laptop' })).passkey.id}`,
    body: { name: 'Laptop' },
    procedure: 'passkey.patch',
  }),
  patchSignInSettings: async () => ({
    read: '/flows/v1/sign-in-settings',
    body: { secondFactor: false },
    procedure: 'signInSettings.patch',
  }),
  patchNotificationSettings: async () => ({
    read: '/flows/v1/notification-settings',
    body: { administrators: true },
    procedure: 'notificationSettings.patch',
  }),
  patchOwnNotificationSettings: async () => ({
    read: '/flows/v1/me/notification-settings',
    body: { mail: true },
    procedure: 'ownNotificationSettings.patch',
  }),
  patchOrg: async () => ({
    read: `/v1/orgs/${trader.orgId}`,
    patch: `/flows/v1/orgs/${trader.orgId}`,
    body: { regionCode: 'NO', website: 'https://trader.example.com', engagement: 'DIRECT', distributorOrgId: null },
    procedure: 'org.patch',
    by: operator,
  }),
}

/** Those of files add or remove one. The specification lets a status that is sent advance `updated_at`. */
const OTHERS = [
  'updatePartFiles',
  'updateRfqFiles',
  'updateOfferFiles',
  'updateOrderFiles',
  'updateCaseFiles',
  'patchWebhookEndpoint',
]

test('every PATCH operation is in the table', () => {
  const patches = DOCUMENTED.filter(({ method }) => method === 'PATCH').map(({ id }) => id)
  expect(patches.toSorted()).toEqual([...Object.keys(CASES), ...OTHERS].toSorted())
})

async function writtenRows() {
  const [counts] = await owner`
    select (select count(*)::int from sourcing.outbox) as sourcing,
      (select count(*)::int from organization.outbox) as organization,
      (select count(*)::int from sourcing.history) as history`
  return counts
}

const tagOf = async (reader: ApiClient, path: string) => {
  const { status, text, headers } = await reader.get(path)
  return { status, text, etag: headers.get('etag') }
}

test.each(Object.entries(CASES))(
  '%s without a change keeps record and tag, and writes only its audit entry',
  async (_, set) => {
    const { read, patch = read, body, procedure, by = trader } = await set()
    const sender = by.administrator.client
    const before = await tagOf(sender, read)
    expect(before.status).toBe(200)
    const [rows, entries] = [await writtenRows(), await entriesOf(market, by.orgId, procedure)]
    for (const sent of [body, {}]) {
      const answer = await sender.send('PATCH', patch, { body: sent })
      expect([answer.status, answer.text]).toEqual([200, before.text])
    }
    expect(await tagOf(sender, read)).toEqual(before)
    expect(await writtenRows()).toEqual(rows)
    expect(await entriesOf(market, by.orgId, procedure)).toHaveLength(entries.length + 2)
  },
)
