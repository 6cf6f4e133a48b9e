import { newSecretToken } from '../../kit/secrets/tokens.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import type { RecordName } from '../records.ts'
import { inHours, publishedPart } from '../rfqs.ts'
import { changeOf } from './document-samples.ts'
import { type Input, type Place, withValue } from './inputs.ts'
import { type OperationSample, unfit, withAnother } from './operation-sample.ts'
import { administratorOf } from './record-kind.ts'
import { askedQuestion, confidentialRfq, emailInvitation, inviteeOf } from './rfqs.ts'

/** Replaces the RFQ by a confidential one that has ended. */
async function ended(fixtures: Fixtures, account: Account, input: Input): Promise<Input> {
  const id = await confidentialRfq(fixtures, account)
  await fixtures.market.db.owner`update sourcing.rfqs set state = 'CANCELLED', cancel_reason = 'Sold.' where id = ${id}`
  return withValue(input, 'path.id', id)
}

/** A record of the account that is no question of the RFQ. */
const ofOtherRfq = (record: RecordName) => unfit(record, 404, 'rfq:create', 'part:update')

const onQuestion: OperationSample = {
  by: 'consumer',
  references: { 'path.id': ofOtherRfq('openRfq'), 'path.questionId': ofOtherRfq('question') },
  values: async (fixtures, account) => {
    const { rfqId, questionId } = await askedQuestion(fixtures, account)
    return { 'path.id': rfqId, 'path.questionId': questionId }
  },
  conflict: 'race',
}

const onEmailInvitation: OperationSample = {
  by: 'consumer',
  references: {
    'path.id': unfit('openRfq', 404, 'rfq:invite'),
    'path.invitationId': unfit('emailInvitation', 404, 'rfq:invite'),
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

/** Replaces the part at a place by one of another organization that requires a subscription. */
export const withLockedPart =
  (place: Place) =>
  async (fixtures: Fixtures, { kind }: Account, input: Input) => {
    const owner = await fixtures.account(kind === 'owner' ? 'otherOwner' : 'owner', 'administrator')
    const partId = await publishedPart(await administratorOf(fixtures, owner), { requireSubscription: true })
    return withValue(withValue(input, place, partId), 'body.releaseFiles', false)
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
    conflict: withLockedPart('body.partId'),
  },
  patchRfq: {
    references: { 'path.id': 'draftRfq', 'body.partId': ['draftPart', 'internalPart'], ...SHARED },
    // A consumer has no part of its own, so the part stays.
    values: async (fixtures) => ({ body: { quantities: [5], manufacturerIds: [await inviteeOf(fixtures)] } }),
    conflict: withAnother('path.id', 'openRfq'),
  },
  publishRfq: { references: { 'path.id': 'draftRfq' }, conflict: withAnother('path.id', 'openRfq') },
  inviteToRfq: {
    references: { 'path.id': ['openRfq', 'draftRfq'], 'body.manufacturerIds.0': 'shared' },
    values: withInvitee,
    conflict: withAnother('path.id', 'closedRfq'),
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
    conflict: withAnother('path.id', 'closedRfq'),
  },
  closeRfq: { references: { 'path.id': 'openRfq' }, conflict: withAnother('path.id', 'closedRfq') },
  reopenRfq: {
    references: { 'path.id': 'closedRfq' },
    values: () => ({ 'body.expireTime': inHours(1000) }),
    conflict: withAnother('path.id', 'openRfq'),
  },
  cancelRfq: { references: { 'path.id': ['draftRfq', 'openRfq', 'closedRfq'] }, conflict: 'race' },
  deleteRfq: { references: { 'path.id': 'draftRfq' }, conflict: withAnother('path.id', 'openRfq') },
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
    conflict: withAnother('path.id', 'cancelledRfq'),
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
