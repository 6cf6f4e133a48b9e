import { newId } from '../kit/db/ids.ts'
import { insertDocument } from './documents.ts'
import { type Account, ALL_KINDS, type Fixtures } from './fixtures.ts'
import { AGREEMENT_RECORDS } from './operations/agreement-records.ts'
import { ASSIGNMENT_RECORDS } from './operations/assignments.ts'
import { CASE_RECORDS } from './operations/case-records.ts'
import { completedUpload, createFile } from './operations/files.ts'
import { IDENTITY_PROVIDER_RECORDS } from './operations/identity-provider-records.ts'
import { createOffer, receivedOffer } from './operations/offers.ts'
import { ORDER_RECORDS } from './operations/order-records.ts'
import { ORGANIZATION_RECORDS } from './operations/organization-records.ts'
import { PACKAGE_RECORDS } from './operations/package-records.ts'
import { PASSKEY_RECORDS } from './operations/passkey-records.ts'
import {
  applyTo,
  CONSUMERS,
  created,
  IP_OWNERS,
  MANUFACTURERS,
  type RecordKind,
  recordOf,
} from './operations/record-kind.ts'
import {
  askedQuestion,
  confidentialRfq,
  emailInvitation,
  invitationOf,
  partWithOpenRfq,
  rfqAfter,
  termsFor,
} from './operations/rfqs.ts'
import { SERVICE_ACCOUNT_RECORDS } from './operations/service-account-records.ts'
import { SUBSCRIPTION_RECORDS } from './operations/subscription-records.ts'

export const createPart = (fixtures: Fixtures, account: Account, more: object = {}) =>
  created(fixtures, account, '/v1/parts', { title: 'Impeller', materialType: 'metal', ...more })

/** Creates an internal part and applies the lifecycle commands. */
async function partAfter(fixtures: Fixtures, account: Account, ...verbs: string[]): Promise<string> {
  const id = await createPart(fixtures, account, { internal: true })
  await applyTo(fixtures, account, `/flows/v1/parts/${id}`, verbs)
  return id
}

/** Creates an active factory of the organization. */
async function insertFactory({ market }: Fixtures, orgId: string, internal: boolean): Promise<string> {
  const id = newId('factory')
  await market.db.owner`
    insert into sourcing.factories
      (id, org_id, org_name, org_manufactures, name, active, internal, region_code, locality, lines, created_at, updated_at)
    values (${id}, ${orgId}, 'Manufacturer', true, 'Factory', true, ${internal}, 'NO', 'Bergen', '{}', now(), now())`
  return id
}

/** A factory that a distributor can release. */
export async function publicFactory(fixtures: Fixtures): Promise<string> {
  return insertFactory(fixtures, (await fixtures.organization('manufacturer')).orgId, false)
}

/** A factory of the account's organization that only the organization itself can read. */
export const internalFactory = (fixtures: Fixtures, { orgId }: Account) => insertFactory(fixtures, orgId, true)

/** A document of a record of the account's organization, by the kind of the record. */
const documentOf = (kind: 'rfq' | 'offer' | 'order' | 'case', { owners, make }: RecordKind) =>
  recordOf(owners, 'file', async (fixtures, account) => {
    const recordId = String(await make(fixtures, account))
    return insertDocument(fixtures.market, { orgId: account.orgId, kind, recordId })
  })

const draftRfq = recordOf(CONSUMERS, 'rfq', (fixtures, account) => rfqAfter(fixtures, account))

/** An offer of the account's organization with a factory of its own, after the lifecycle commands. */
const offerAfter = async (fixtures: Fixtures, account: Account, ...verbs: string[]) =>
  createOffer(fixtures, account, await internalFactory(fixtures, account), ...verbs)

const draftOffer = recordOf(MANUFACTURERS, 'offer', (fixtures, account) => offerAfter(fixtures, account))

const webhookEndpoint = recordOf(ALL_KINDS, 'wh', async ({ market }, { orgId }) => {
  const id = newId('wh')
  await market.db.owner`
        insert into webhooks.endpoints (id, org_id, url, events, status, secret, created_at, updated_at)
        values (${id}, ${orgId}, 'https://hooks.example.com', '{cases.*}', 'paused', 'unused', now(), now())`
  return id
})

/** Every kind of private record, by name. */
export const RECORDS = {
  draftPart: recordOf(IP_OWNERS, 'part', (fixtures, account) => createPart(fixtures, account)),
  internalPart: recordOf(IP_OWNERS, 'part', (fixtures, account) => partAfter(fixtures, account, 'publish')),
  archivedPart: recordOf(IP_OWNERS, 'part', (fixtures, account) => partAfter(fixtures, account, 'publish', 'archive')),
  pinnedPart: recordOf(IP_OWNERS, 'part', (fixtures, account) => partWithOpenRfq(fixtures, account)),
  draftRfq,
  openRfq: recordOf(CONSUMERS, 'rfq', (fixtures, account) => rfqAfter(fixtures, account, 'publish')),
  closedRfq: recordOf(CONSUMERS, 'rfq', (fixtures, account) => rfqAfter(fixtures, account, 'publish', 'close')),
  cancelledRfq: recordOf(CONSUMERS, 'rfq', async (fixtures, account) => {
    const id = await rfqAfter(fixtures, account)
    await fixtures.market.db.owner`
        update sourcing.rfqs set state = 'CANCELLED', cancel_reason = 'Sold.' where id = ${id}`
    return id
  }),
  rfqInvitation: recordOf(['manufacturer', 'distributor'], 'rfq', (fixtures, account) =>
    invitationOf(fixtures, account),
  ),
  offeredTerms: recordOf(['manufacturer', 'distributor'], 'rfq', termsFor),
  confidentialRfq: recordOf(IP_OWNERS, 'rfq', confidentialRfq),
  question: recordOf(
    CONSUMERS,
    'question',
    async (fixtures, account) => (await askedQuestion(fixtures, account)).questionId,
  ),
  emailInvitation: recordOf(
    CONSUMERS,
    'emailInvitation',
    async (fixtures, account) => (await emailInvitation(fixtures, account)).invitationId,
  ),
  offerRfq: recordOf(MANUFACTURERS, 'rfq', (fixtures, account) => invitationOf(fixtures, account)),
  draftOffer,
  submittedOffer: recordOf(MANUFACTURERS, 'offer', async (fixtures, account) =>
    offerAfter(fixtures, account, 'submit'),
  ),
  outdatedOffer: recordOf(MANUFACTURERS, 'offer', async (fixtures, account) => {
    const id = await offerAfter(fixtures, account, 'submit')
    await fixtures.market.db.owner`update sourcing.offers set outdated = true where id = ${id}`
    return id
  }),
  receivedOffer: recordOf(CONSUMERS, 'offer', (fixtures, account) => receivedOffer(fixtures, account)),
  awardableOffer: recordOf(CONSUMERS, 'offer', async (fixtures, account) => {
    const [id, factoryId] = [await receivedOffer(fixtures, account), await publicFactory(fixtures)]
    await fixtures.market.db.owner`update sourcing.offers set factory_id = ${factoryId} where id = ${id}`
    return id
  }),
  ...ORDER_RECORDS,
  lostOffer: recordOf(MANUFACTURERS, 'offer', async (fixtures, account) => {
    const id = await offerAfter(fixtures, account, 'submit')
    await fixtures.market.db.owner`
        update sourcing.offers set state = 'REJECTED', rejected_by_award = true, reinstatement_asked_at = now()
        where id = ${id}`
    return id
  }),
  ...AGREEMENT_RECORDS,
  ...ASSIGNMENT_RECORDS,
  ...CASE_RECORDS,
  rfqDocument: documentOf('rfq', draftRfq),
  offerDocument: documentOf('offer', draftOffer),
  orderDocument: documentOf('order', ORDER_RECORDS.placedOrder),
  caseDocument: documentOf('case', CASE_RECORDS.openCase),
  ...SUBSCRIPTION_RECORDS,
  ...PACKAGE_RECORDS,
  upload: recordOf(['owner', 'otherOwner', 'manufacturer'], 'upload', (fixtures, account) =>
    completedUpload(fixtures, account),
  ),
  partFile: recordOf(IP_OWNERS, 'file', async (fixtures, account) =>
    createFile(fixtures, account, await createPart(fixtures, account)),
  ),
  importedFile: recordOf(IP_OWNERS, 'file', async (fixtures, account) => {
    const fileId = await createFile(fixtures, account, await createPart(fixtures, account))
    await fixtures.market.db.owner`insert into sourcing.imports (file_id) values (${fileId})`
    return fileId
  }),
  internalFactory: recordOf(MANUFACTURERS, 'factory', internalFactory),
  engagedOrganization: recordOf(
    ['distributor', 'otherOwner'],
    'org',
    async ({ market }, { orgId }) => (await market.organization(['CONSUMER'], { distributorOrgId: orgId })).orgId,
  ),
  ...ORGANIZATION_RECORDS,
  ...SERVICE_ACCOUNT_RECORDS,
  ...IDENTITY_PROVIDER_RECORDS,
  ...PASSKEY_RECORDS,
  webhookEndpoint,
  webhookDelivery: recordOf(ALL_KINDS, 'dlv', async (fixtures, account) => {
    const endpointId = await webhookEndpoint.make(fixtures, account)
    const id = newId('dlv')
    await fixtures.market.db.owner`
        insert into webhooks.deliveries
          (id, org_id, endpoint_id, event_id, event_time, type, next_attempt_at, created_at)
        values (${id}, ${account.orgId}, ${endpointId}, ${newId('evt')}, now(), 'cases.created', now(), now())`
    return id
  }),
} as const satisfies Record<string, RecordKind>

export type RecordName = keyof typeof RECORDS
export const recordKind = (name: RecordName): RecordKind => RECORDS[name]
