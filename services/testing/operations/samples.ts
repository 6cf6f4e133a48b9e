import { OPERATIONS } from '../../../proto/http/operations.ts'
import { newId } from '../../kit/db/ids.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { TEST_PASSWORD } from '../marketplace.ts'
import { type RecordName, recordKind } from '../records.ts'
import { openActivation, openGrant } from '../sessions.ts'
import { AGREEMENT_SAMPLES } from './agreement-samples.ts'
import { ASSIGNMENT_SAMPLES } from './assignment-samples.ts'
import { CASE_SAMPLES } from './case-samples.ts'
import type { Documented } from './document.ts'
import { DOCUMENT_SAMPLES } from './document-samples.ts'
import { FACTORY_SAMPLES } from './factory-samples.ts'
import { FILE_SAMPLES } from './file-samples.ts'
import { IDENTITY_PROVIDER_SAMPLES } from './identity-provider-samples.ts'
import { exampleInput, type Input, type Place, withValue } from './inputs.ts'
import { OFFER_SAMPLES } from './offer-samples.ts'
import {
  makerOf,
  type OperationSample,
  type PrivateReference,
  type Reference,
  withAnother,
  without,
} from './operation-sample.ts'
import { ORDER_SAMPLES } from './order-samples.ts'
import { PACKAGE_SAMPLES } from './package-samples.ts'
import { PASSKEY_SAMPLES } from './passkey-samples.ts'
import { PEOPLE_SAMPLES } from './people-samples.ts'
import { RFQ_SAMPLES } from './rfq-samples.ts'
import { partWithOpenRfq } from './rfqs.ts'
import { SERVICE_ACCOUNT_SAMPLES } from './service-account-samples.ts'
import { sharedRecord } from './shared-records.ts'
import { SUBSCRIPTION_SAMPLES } from './subscription-samples.ts'
import { WEBHOOK_SAMPLES } from './webhook-samples.ts'

/** An organization that is not an IP owner has such records, but no part that can refer to them. */
const ofPartOwners = (record: RecordName): PrivateReference => ({
  record,
  own: ({ kind, permissions }) =>
    permissions.has('part:update') && !recordKind('draftPart').owners.includes(kind) ? 404 : undefined,
})

/** References in the content of a part. */
const PART_REFERENCES: Record<Place, Reference> = {
  'body.businessUnitIds.0': 'businessUnit',
  'body.customFields.0': 'customOption',
  'body.materialId': 'shared',
  'body.processId': 'shared',
  'body.standardIds.0': 'shared',
  'body.criticalityIds.0': 'shared',
  'body.categoryIds.0': 'shared',
  'body.unspscCategoryIds.0': 'shared',
}

/** One entry for each operation that its document does not describe completely. Catalogs need none. */
const SAMPLES: Record<string, OperationSample> = {
  createToken: {
    costly: true,
    references: { 'body.refresh_token': 'credential' },
    values: (_, { email }) => ({
      body: { grant_type: 'password', username: email, password: TEST_PASSWORD },
    }),
  },
  revokeToken: { references: { 'body.token': ['accessToken', 'refreshToken'] } },
  introspectActivation: {
    references: { 'body.token': 'credential' },
    values: async (fixtures, account) => ({ 'body.token': await openActivation(fixtures.market, account.userId) }),
  },
  redeemActivation: {
    costly: true,
    references: { 'body.token': 'credential' },
    values: async (fixtures, account) => ({
      'body.token': await openActivation(fixtures.market, account.userId),
      'body.password': TEST_PASSWORD,
    }),
  },
  changePassword: {
    costly: true,
    values: () => ({ 'body.currentPassword': TEST_PASSWORD, 'body.newPassword': TEST_PASSWORD }),
    conflict: 'race',
  },
  createImpersonationGrant: {
    references: { 'body.userId': 'colleague' },
    values: () => ({ 'body.expireTime': new Date(Date.now() + 60 * 60 * 1000).toISOString() }),
    async conflict(fixtures, account, input) {
      const { userId } = await (await fixtures.organization(account.kind)).member([])
      await fixtures.market.db.owner`update organization.users set active = false where id = ${userId}`
      return withValue(input, 'body.userId', userId)
    },
  },
  getImpersonationGrant: { references: { 'path.id': 'grant' } },
  redeemImpersonationGrant: {
    references: { 'body.token': 'credential' },
    values: async (fixtures, account) => ({
      'body.token': await openGrant(fixtures.market, account, {
        grantId: newId('grant'),
        actingEmail: 'support@example.com',
      }),
    }),
  },
  revokeImpersonationGrant: {
    references: { 'path.id': 'grant' },
    async conflict(fixtures, account, input) {
      const id = await recordKind('grant').make(fixtures, account)
      await fixtures.market.db
        .owner`update identity.impersonation_grants set revoked_at = now() where id = ${String(id)}`
      return withValue(input, 'path.id', id)
    },
  },
  listSessions: {
    references: { 'query.userId': ['user', { record: 'colleague', own: without('user:manage', 403) }] },
  },
  endSession: {
    references: { 'path.id': ['session', { record: 'colleagueSession', own: without('user:manage', 404) }] },
  },
  createPart: { references: PART_REFERENCES },
  // Parts of other requests have the reference of the example.
  importParts: { values: () => ({ 'body.csv': `externalRef,title\n${crypto.randomUUID()},Impeller\n` }) },
  patchPart: {
    references: {
      'path.id': 'draftPart',
      ...PART_REFERENCES,
      'body.businessUnitIds.0': ofPartOwners('businessUnit'),
      'body.customFields.0': ofPartOwners('customOption'),
    },
    conflict: async (fixtures, account, input) => ({
      ...withValue(input, 'path.id', await recordKind('internalPart').make(fixtures, account)),
      body: { title: null },
    }),
  },
  archivePart: { references: { 'path.id': 'internalPart' }, conflict: 'race' },
  unarchivePart: { references: { 'path.id': 'archivedPart' }, conflict: 'race' },
  deletePart: {
    references: { 'path.id': 'draftPart' },
    conflict: async (fixtures, account, input) => withValue(input, 'path.id', await partWithOpenRfq(fixtures, account)),
  },
  batchGetParts: { references: { 'body.ids.0': ['draftPart', 'internalPart'] } },
  listPartRevisions: { references: { 'path.id': ['draftPart', 'internalPart', 'pinnedPart'] } },
  getPartRevision: {
    references: { 'path.id': 'pinnedPart', 'path.revision': 'shared' },
    values: () => ({ 'path.revision': 1 }),
  },
  listPartRevisionFiles: {
    references: { 'path.id': 'pinnedPart', 'path.revision': 'shared' },
    values: () => ({ 'path.revision': 1 }),
  },
  getPartMetadata: { references: { 'path.id': ['draftPart', 'internalPart'] } },
  listPartHistory: { references: { 'path.id': ['draftPart', 'internalPart'] } },
  listAuditLog: { references: { 'query.actorId': 'user' } },
  exportAuditLog: { references: { 'query.actorId': 'user' } },
  getAuditLogEntry: { references: { 'path.id': 'auditEntry' } },
  getPart: { references: { 'path.id': ['draftPart', 'internalPart'] } },
  publishPart: {
    references: { 'path.id': 'draftPart' },
    conflict: withAnother('path.id', 'internalPart'),
  },
  ...PEOPLE_SAMPLES,
  ...PASSKEY_SAMPLES,
  ...IDENTITY_PROVIDER_SAMPLES,
  ...SERVICE_ACCOUNT_SAMPLES,
  ...FILE_SAMPLES,
  ...DOCUMENT_SAMPLES,
  ...FACTORY_SAMPLES,
  ...RFQ_SAMPLES,
  ...PACKAGE_SAMPLES,
  ...AGREEMENT_SAMPLES,
  ...ORDER_SAMPLES,
  ...ASSIGNMENT_SAMPLES,
  ...OFFER_SAMPLES,
  ...CASE_SAMPLES,
  ...SUBSCRIPTION_SAMPLES,
  ...WEBHOOK_SAMPLES,
}

const CATALOG = new Set(OPERATIONS.catalog.map(({ id }) => id))

export const sampleOf = ({ id }: Documented): OperationSample => SAMPLES[id] ?? {}

/** Entries of the table for operations that do not exist. */
export const unknownSamples = (ids: ReadonlySet<string>): string[] => Object.keys(SAMPLES).filter((id) => !ids.has(id))

/** The meaning of an identifier, by its own entry or that of the object around it; undefined without an entry. */
export function referenceAt(operation: Documented, place: Place): Reference | undefined {
  if (CATALOG.has(operation.id)) return 'shared'
  const { references = {} } = sampleOf(operation)
  const covered = Object.keys(references).find((known) => isWithin(place, known))
  return covered === undefined ? undefined : references[covered]
}

export interface Probe {
  place: Place
  record: RecordName
  own: (account: Account) => number
}

/** Every private record that a request of the operation can refer to. */
export function probesOf(operation: Documented): Probe[] {
  return Object.entries(sampleOf(operation).references ?? {}).flatMap(([place, reference]) => {
    if (reference === 'shared' || reference === 'credential') return []
    return [reference].flat().map((each) => {
      const { record, own } = typeof each === 'string' ? { record: each, own: undefined } : each
      return { place, record, own: (account: Account) => own?.(account) ?? statusFor(operation, account) }
    })
  })
}

/** The status of a valid request: success with the permission, else 403. */
export function statusFor(operation: Documented, { kind, permissions }: Account): number {
  const {
    contract: { access },
    success,
  } = operation
  if (access === 'public' || access === 'token') return success
  const anyOf = typeof access === 'string' ? [access] : access
  if (!anyOf.some((permission) => permissions.has(permission))) return 403
  return sampleOf(operation).kinds?.includes(kind) === false ? 409 : success
}

/** The status of a valid request of a list in one of its views. */
export function statusInView(operation: Documented, account: Account, view: string): number {
  const permission = sampleOf(operation).views?.[view]
  return permission === undefined || account.permissions.has(permission) ? statusFor(operation, account) : 403
}

/**
 * A request that succeeds for the account: the examples of the document with records of the account. No record is
 * created for the place `replaced`, whose value the caller replaces.
 */
export const ownInput = (
  operation: Documented,
  fixtures: Fixtures,
  account: Account,
  replaced?: Place,
): Promise<Input> =>
  inputWith((name, maker) => recordKind(name).make(fixtures, maker), operation, fixtures, account, replaced)

/** The same, for a request that only reads or is refused, so that it can have the records of other such requests. */
export const sharedInput = (
  operation: Documented,
  fixtures: Fixtures,
  account: Account,
  replaced?: Place,
): Promise<Input> =>
  inputWith((name, maker) => sharedRecord(fixtures, name, maker), operation, fixtures, account, replaced)

async function inputWith(
  recordOf: (name: RecordName, maker: Account) => Promise<unknown>,
  operation: Documented,
  fixtures: Fixtures,
  account: Account,
  replaced?: Place,
): Promise<Input> {
  const values = Object.entries((await sampleOf(operation).values?.(fixtures, account)) ?? {})
  let input = exampleInput(operation)
  const places = new Set<Place | undefined>([replaced])
  for (const { place, record } of probesOf(operation)) {
    // The first kind of record for a place is used, and optional filters are omitted.
    if (places.has(place) || place.startsWith('query.')) continue
    places.add(place)
    if (values.some(([given]) => isWithin(place, given))) continue
    input = withValue(input, place, await recordOf(record, await makerOf(record, fixtures, account)))
  }
  for (const [place, value] of values) input = withValue(input, place, value)
  return input
}

const isWithin = (place: Place, outer: Place) => place === outer || place.startsWith(`${outer}.`)
