import { newId } from '../kit/db/ids.ts'
import { insertDocument } from './documents.ts'
import { type Account, ALL_KINDS, type Fixtures, type Kind } from './fixtures.ts'
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
  askedQuestion,
  confidentialRfq,
  createRfq,
  emailInvitation,
  invitationOf,
  partWithOpenRfq,
  rfqAfter,
  termsFor,
} from './operations/rfqs.ts'
import { SERVICE_ACCOUNT_RECORDS } from './operations/service-account-records.ts'
import { SUBSCRIPTION_RECORDS } from './operations/subscription-records.ts'

/** A kind of record that is private to an organization or to a user. */
export interface RecordKind {
  /** Kinds of organization that can have one. */
  owners: readonly Kind[]
  /** Creates a record of the account or its organization and returns its identifier. */
  make(fixtures: Fixtures, account: Account): Promise<unknown>
  /** An identifier of the same form that does not exist. */
  random(): unknown
}

const IP_OWNERS = ['owner', 'otherOwner'] as const satisfies Kind[]
const MANUFACTURERS = ['manufacturer', 'otherOwner'] as const satisfies Kind[]
const DISTRIBUTORS = ['distributor', 'otherOwner'] as const satisfies Kind[]
const RFQ_CONSUMERS = ['owner', 'otherOwner', 'consumer'] as const satisfies Kind[]

export async function createPart(fixtures: Fixtures, { kind }: Account, more: object = {}): Promise<string> {
  const client = await fixtures.clientOf(await fixtures.account(kind, 'administrator'))
  const body = { title: 'Impeller', materialType: 'metal', ...more }
  const answer = await client.post<{ id: string }>('/v1/parts', body)
  if (answer.status !== 200) throw new Error(`a part could not be created: ${answer.text}`)
  return answer.body.id
}

/** Creates an internal part and applies the lifecycle commands. */
async function partAfter(fixtures: Fixtures, account: Account, ...verbs: string[]): Promise<string> {
  const id = await createPart(fixtures, account, { internal: true })
  const client = await fixtures.clientOf(await fixtures.account(account.kind, 'administrator'))
  for (const verb of verbs) {
    const { status, text } = await client.post(`/flows/v1/parts/${id}/${verb}`)
    if (status !== 200) throw new Error(`${verb} of a part: ${text}`)
  }
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
const documentOf = (kind: 'rfq' | 'offer' | 'order' | 'case', record: RecordKind): RecordKind => ({
  owners: record.owners,
  make: async (fixtures, account) =>
    insertDocument(fixtures.market, {
      orgId: account.orgId,
      kind,
      recordId: String(await record.make(fixtures, account)),
    }),
  random: () => newId('file'),
})

const draftRfq: RecordKind = {
  owners: RFQ_CONSUMERS,
  make: (fixtures, account) => createRfq(fixtures, account),
  random: () => newId('rfq'),
}

const draftOffer: RecordKind = {
  owners: MANUFACTURERS,
  make: async (fixtures, account) => createOffer(fixtures, account, await internalFactory(fixtures, account)),
  random: () => newId('offer'),
}

/** Every kind of private record, by name. */
export const RECORDS = {
  draftPart: {
    owners: IP_OWNERS,
    make: (fixtures, account) => createPart(fixtures, account),
    random: () => newId('part'),
  },
  internalPart: {
    owners: IP_OWNERS,
    make: (fixtures, account) => partAfter(fixtures, account, 'publish'),
    random: () => newId('part'),
  },
  archivedPart: {
    owners: IP_OWNERS,
    make: (fixtures, account) => partAfter(fixtures, account, 'publish', 'archive'),
    random: () => newId('part'),
  },
  pinnedPart: {
    owners: IP_OWNERS,
    make: (fixtures, account) => partWithOpenRfq(fixtures, account),
    random: () => newId('part'),
  },
  draftRfq,
  openRfq: {
    owners: RFQ_CONSUMERS,
    make: (fixtures, account) => rfqAfter(fixtures, account, 'publish'),
    random: () => newId('rfq'),
  },
  closedRfq: {
    owners: RFQ_CONSUMERS,
    make: (fixtures, account) => rfqAfter(fixtures, account, 'publish', 'close'),
    random: () => newId('rfq'),
  },
  cancelledRfq: {
    owners: RFQ_CONSUMERS,
    async make(fixtures, account) {
      const id = await rfqAfter(fixtures, account)
      await fixtures.market.db.owner`
        update sourcing.rfqs set state = 'CANCELLED', cancel_reason = 'Sold.' where id = ${id}`
      return id
    },
    random: () => newId('rfq'),
  },
  rfqInvitation: {
    owners: ['manufacturer', 'distributor'],
    make: (fixtures, account) => invitationOf(fixtures, account),
    random: () => newId('rfq'),
  },
  offeredTerms: {
    owners: ['manufacturer', 'distributor'],
    make: termsFor,
    random: () => newId('rfq'),
  },
  confidentialRfq: {
    owners: IP_OWNERS,
    make: confidentialRfq,
    random: () => newId('rfq'),
  },
  question: {
    owners: RFQ_CONSUMERS,
    make: async (fixtures, account) => (await askedQuestion(fixtures, account)).questionId,
    random: () => newId('question'),
  },
  emailInvitation: {
    owners: RFQ_CONSUMERS,
    make: async (fixtures, account) => (await emailInvitation(fixtures, account)).invitationId,
    random: () => newId('emailInvitation'),
  },
  offerRfq: {
    owners: MANUFACTURERS,
    make: (fixtures, account) => invitationOf(fixtures, account),
    random: () => newId('rfq'),
  },
  draftOffer,
  submittedOffer: {
    owners: MANUFACTURERS,
    make: async (fixtures, account) =>
      createOffer(fixtures, account, await internalFactory(fixtures, account), 'submit'),
    random: () => newId('offer'),
  },
  outdatedOffer: {
    owners: MANUFACTURERS,
    async make(fixtures, account) {
      const id = await createOffer(fixtures, account, await internalFactory(fixtures, account), 'submit')
      await fixtures.market.db.owner`update sourcing.offers set outdated = true where id = ${id}`
      return id
    },
    random: () => newId('offer'),
  },
  receivedOffer: {
    owners: RFQ_CONSUMERS,
    make: (fixtures, account) => receivedOffer(fixtures, account),
    random: () => newId('offer'),
  },
  awardableOffer: {
    owners: RFQ_CONSUMERS,
    async make(fixtures, account) {
      const [id, factoryId] = [await receivedOffer(fixtures, account), await publicFactory(fixtures)]
      await fixtures.market.db.owner`update sourcing.offers set factory_id = ${factoryId} where id = ${id}`
      return id
    },
    random: () => newId('offer'),
  },
  ...ORDER_RECORDS,
  lostOffer: {
    owners: MANUFACTURERS,
    async make(fixtures, account) {
      const id = await createOffer(fixtures, account, await internalFactory(fixtures, account), 'submit')
      await fixtures.market.db.owner`
        update sourcing.offers set state = 'REJECTED', rejected_by_award = true, reinstatement_asked_at = now()
        where id = ${id}`
      return id
    },
    random: () => newId('offer'),
  },
  ...AGREEMENT_RECORDS,
  ...ASSIGNMENT_RECORDS,
  ...CASE_RECORDS,
  rfqDocument: documentOf('rfq', draftRfq),
  offerDocument: documentOf('offer', draftOffer),
  orderDocument: documentOf('order', ORDER_RECORDS.placedOrder),
  caseDocument: documentOf('case', CASE_RECORDS.openCase),
  ...SUBSCRIPTION_RECORDS,
  ...PACKAGE_RECORDS,
  upload: {
    owners: ['owner', 'otherOwner', 'manufacturer'],
    make: (fixtures, account) => completedUpload(fixtures, account),
    random: () => newId('upload'),
  },
  partFile: {
    owners: IP_OWNERS,
    make: async (fixtures, account) => createFile(fixtures, account, await createPart(fixtures, account)),
    random: () => newId('file'),
  },
  importedFile: {
    owners: IP_OWNERS,
    async make(fixtures, account) {
      const fileId = await createFile(fixtures, account, await createPart(fixtures, account))
      await fixtures.market.db.owner`insert into sourcing.imports (file_id) values (${fileId})`
      return fileId
    },
    random: () => newId('file'),
  },
  internalFactory: {
    owners: MANUFACTURERS,
    make: internalFactory,
    random: () => newId('factory'),
  },
  engagedOrganization: {
    owners: DISTRIBUTORS,
    make: async ({ market }, { orgId }) => (await market.organization(['CONSUMER'], { distributorOrgId: orgId })).orgId,
    random: () => newId('org'),
  },
  ...ORGANIZATION_RECORDS,
  ...SERVICE_ACCOUNT_RECORDS,
  ...IDENTITY_PROVIDER_RECORDS,
  ...PASSKEY_RECORDS,
  webhookEndpoint: {
    owners: ALL_KINDS,
    async make({ market }, { orgId }) {
      const id = newId('wh')
      await market.db.owner`
        insert into webhooks.endpoints (id, org_id, url, events, status, secret, created_at, updated_at)
        values (${id}, ${orgId}, 'https://hooks.example.com', '{cases.*}', 'paused', 'unused', now(), now())`
      return id
    },
    random: () => newId('wh'),
  },
  webhookDelivery: {
    owners: ALL_KINDS,
    async make(fixtures, account) {
      const endpointId = String(await recordKind('webhookEndpoint').make(fixtures, account))
      const id = newId('dlv')
      await fixtures.market.db.owner`
        insert into webhooks.deliveries
          (id, org_id, endpoint_id, event_id, event_time, type, next_attempt_at, created_at)
        values (${id}, ${account.orgId}, ${endpointId}, ${newId('evt')}, now(), 'cases.created', now(), now())`
      return id
    },
    random: () => newId('dlv'),
  },
} as const satisfies Record<string, RecordKind>

export type RecordName = keyof typeof RECORDS
export const recordKind = (name: RecordName): RecordKind => RECORDS[name]
