import { newSecretToken } from '../../kit/secrets/tokens.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { type RecordName, recordKind } from '../records.ts'
import { inHours, publishedPart } from '../rfqs.ts'
import { changeOf } from './document-samples.ts'
import { type Input, withValue } from './inputs.ts'
import type { OperationSample, PrivateReference } from './operation-sample.ts'
import { administratorOf, askedQuestion, confidentialRfq, emailInvitation, inviteeOf } from './rfqs.ts'

/** Replaces the RFQ by one in another state. */
const ofKind = (record: RecordName) => async (fixtures: Fixtures, account: Account, input: Input) =>
  withValue(input, 'path.id', await recordKind(record).make(fixtures, account))

/** Replaces the RFQ by a confidential one that has ended. */
async function ended(fixtures: Fixtures, account: Account, input: Input): Promise<Input> {
  const id = await confidentialRfq(fixtures, account)
  await fixtures.market.db.owner`update sourcing.rfqs set state = 'CANCELLED', cancel_reason = 'Sold.' where id = ${id}`
  return withValue(input, 'path.id', id)
}

/** A record of the account that is no question of the RFQ. */
const ofOtherRfq = (record: RecordName): PrivateReference => ({
  record,
  own: ({ permissions }) => (permissions.has('rfq:create') || permissions.has('part:update') ? 404 : undefined),
})

const onQuestion: OperationSample = {
  by: 'consumer',
  references: { 'path.id': ofOtherRfq('openRfq'), 'path.questionId': ofOtherRfq('question') },
  values: async (fixtures, account) => {
    const { rfqId, questionId } = await askedQuestion(fixtures, account)
    return { 'path.id': rfqId, 'path.questionId': questionId }
  },
  conflict: 'race',
}

/** A record of the account that is no invitation of the RFQ. */
const mayInvite = ({ permissions }: Account) => (permissions.has('rfq:invite') ? 404 : undefined)

const onEmailInvitation: OperationSample = {
  by: 'consumer',
  references: {
    'path.id': { record: 'openRfq', own: mayInvite },
    'path.invitationId': { record: 'emailInvitation', own: mayInvite },
  },
  values: async (fixtures, account) => {
    const { rfqId, invitationId } = await emailInvitation(fixtures, account)
    return { 'path.id': rfqId, 'path.invitationId': invitationId }
  },
  conflict: 'race',
}

const emailInvitationLink: OperationSample = {
  by: 'manufacturer',
  references: { 'body.token': 'credential' },
  async values(fixtures, account) {
    const { token, hash } = newSecretToken()
    await emailInvitation(fixtures, account, hash)
    return { 'body.token': token }
  },
}

const DELIVERY = { 'body.delivery.regionCode': 'shared', 'body.delivery.postalCode': 'shared' } as const
const SHARED = { 'body.manufacturerIds.0': 'shared', 'body.deliveryRegionCode': 'shared', ...DELIVERY } as const

const AMENDED_FILES = changeOf({
  kind: 'rfq',
  record: 'openRfq',
  document: 'rfqDocument',
  permission: 'rfq:publish',
  at: 'body.files',
})

/** Without addresses, of which an organization invites a few a day. */
const withInvitee = async (fixtures: Fixtures) => ({
  'body.manufacturerIds': [await inviteeOf(fixtures)],
  'body.emails': undefined,
})

/** Replaces the part by one of another organization that requires a subscription. */
async function withRequiredSubscription(fixtures: Fixtures, { kind }: Account, input: Input): Promise<Input> {
  const owner = await fixtures.account(kind === 'owner' ? 'otherOwner' : 'owner', 'administrator')
  const partId = await publishedPart(await administratorOf(fixtures, owner), { requireSubscription: true })
  return withValue(withValue(input, 'body.partId', partId), 'body.releaseFiles', false)
}

/** RFQs and their invitations. */
export const RFQ_SAMPLES: Record<string, OperationSample> = {
  listRfqs: { references: { 'query.partId': ['draftPart', 'internalPart'] } },
  getRfq: { references: { 'path.id': ['draftRfq', 'openRfq', 'rfqInvitation'] } },
  listRfqHistory: { references: { 'path.id': ['draftRfq', 'openRfq', 'rfqInvitation'] } },
  listRfqInvitations: { references: { 'path.id': ['draftRfq', 'openRfq'] } },
  listRfqMatches: { by: 'consumer', references: { 'path.id': ['draftRfq', 'openRfq'] } },
  createRfq: {
    references: { 'body.partId': ['draftPart', 'internalPart'], ...SHARED },
    values: withInvitee,
    conflict: withRequiredSubscription,
  },
  patchRfq: {
    references: { 'path.id': 'draftRfq', 'body.partId': ['draftPart', 'internalPart'], ...SHARED },
    // A consumer has no part of its own, so the part stays.
    values: async (fixtures) => ({ body: { quantities: [5], manufacturerIds: [await inviteeOf(fixtures)] } }),
    conflict: ofKind('openRfq'),
  },
  publishRfq: { references: { 'path.id': 'draftRfq' }, conflict: ofKind('openRfq') },
  inviteToRfq: {
    references: { 'path.id': ['openRfq', 'draftRfq'], 'body.manufacturerIds.0': 'shared' },
    values: withInvitee,
    conflict: ofKind('closedRfq'),
  },
  amendRfq: {
    ...AMENDED_FILES,
    references: { ...AMENDED_FILES.references, ...DELIVERY },
    values: async (fixtures, account) => ({
      ...(await AMENDED_FILES.values(fixtures, account)),
      'body.expireTime': inHours(1000),
    }),
  },
  extendRfq: {
    references: { 'path.id': 'openRfq' },
    values: () => ({ 'body.expireTime': inHours(1000) }),
    conflict: ofKind('closedRfq'),
  },
  closeRfq: { references: { 'path.id': 'openRfq' }, conflict: ofKind('closedRfq') },
  reopenRfq: {
    references: { 'path.id': 'closedRfq' },
    values: () => ({ 'body.expireTime': inHours(1000) }),
    conflict: ofKind('openRfq'),
  },
  cancelRfq: { references: { 'path.id': ['draftRfq', 'openRfq', 'closedRfq'] }, conflict: 'race' },
  deleteRfq: { references: { 'path.id': 'draftRfq' }, conflict: ofKind('openRfq') },
  acceptRfqTerms: { by: 'manufacturer', references: { 'path.id': 'offeredTerms' }, conflict: 'race' },
  listRfqAcceptances: { references: { 'path.id': ['draftRfq', 'confidentialRfq', 'offeredTerms'] } },
  releaseRfqFiles: {
    references: { 'path.id': 'confidentialRfq', 'body.manufacturerIds.0': 'shared' },
    values: withInvitee,
    conflict: ended,
  },
  withdrawRfqFiles: {
    references: { 'path.id': 'confidentialRfq', 'body.manufacturerIds.0': 'shared' },
    values: withInvitee,
    conflict: ended,
  },
  listRfqQuestions: { references: { 'path.id': ['draftRfq', 'openRfq', 'rfqInvitation'] } },
  askRfqQuestion: {
    by: 'manufacturer',
    references: { 'path.id': 'rfqInvitation' },
    async conflict(fixtures, _, input) {
      await fixtures.market.db.owner`update sourcing.rfqs set state = 'CLOSED' where id = ${input.params.id as string}`
      return input
    },
  },
  answerRfqQuestion: onQuestion,
  dismissRfqQuestion: onQuestion,
  clarifyRfq: {
    by: 'consumer',
    references: { 'path.id': 'openRfq' },
    conflict: ofKind('cancelledRfq'),
  },
  listEmailInvitations: { by: 'consumer', references: { 'path.id': ['draftRfq', 'openRfq'] } },
  confirmEmailInvitation: onEmailInvitation,
  revokeEmailInvitation: onEmailInvitation,
  introspectEmailInvitation: emailInvitationLink,
  redeemEmailInvitation: {
    ...emailInvitationLink,
    kinds: ['manufacturer'],
    async conflict(fixtures, account, input) {
      const { token, hash } = newSecretToken()
      const { rfqId } = await emailInvitation(fixtures, account, hash)
      await fixtures.market.db.owner`update sourcing.rfqs set consumer_org_id = ${account.orgId} where id = ${rfqId}`
      return withValue(input, 'body.token', token)
    },
  },
  declineRfq: { by: 'manufacturer', references: { 'path.id': 'rfqInvitation' }, conflict: 'race' },
}
