import type { Account, Fixtures } from '../fixtures.ts'
import type { RecordName } from '../records.ts'
import { publishedPart } from '../rfqs.ts'
import { insertSubscriptions } from '../subscriptions.ts'
import type { Input } from './inputs.ts'
import type { OperationSample, PrivateReference } from './operation-sample.ts'
import { administratorOf } from './record-kind.ts'

/** An organization cannot subscribe to its own part. */
const ofOwnPart = (record: RecordName): PrivateReference => ({
  record,
  own: ({ permissions }) => (permissions.has('rfq:create') ? 400 : 403),
})

/** A public part of an organization that is not the account's. */
async function foreignPart(fixtures: Fixtures, { kind }: Account): Promise<string> {
  const owner = await fixtures.account(kind === 'owner' ? 'otherOwner' : 'owner', 'administrator')
  return publishedPart(await administratorOf(fixtures, owner))
}

/** Subscriptions to parts. */
export const SUBSCRIPTION_SAMPLES: Record<string, OperationSample> = {
  listSubscriptions: {
    references: { 'query.partId': ['draftPart', 'internalPart'], 'query.partnerOrgId': 'shared' },
  },
  getSubscription: { references: { 'path.id': ['activeSubscription', 'requestedSubscription'] } },
  createSubscription: {
    by: 'consumer',
    references: {
      'body.partId': [ofOwnPart('draftPart'), ofOwnPart('internalPart')],
      'body.ipOwnerOrgId': 'shared',
      'body.consumerOrgId': 'shared',
    },
    values: async (fixtures, account) => ({ body: { partId: await foreignPart(fixtures, account) } }),
    async conflict({ market }, { orgId }, input): Promise<Input> {
      const { partId } = input.body as { partId: string }
      const [part] = await market.db.owner<{ owner: string }[]>`
        select ip_owner_org_id as owner from sourcing.parts where id = ${partId}`
      await insertSubscriptions(market, { ipOwnerOrgId: part?.owner ?? '', consumerOrgId: orgId, partId })
      return input
    },
  },
  acceptSubscription: { references: { 'path.id': 'requestedSubscription' }, conflict: 'race' },
  declineSubscription: { references: { 'path.id': 'requestedSubscription' }, conflict: 'race' },
  deleteSubscription: { references: { 'path.id': ['activeSubscription', 'requestedSubscription'] }, conflict: 'race' },
}
