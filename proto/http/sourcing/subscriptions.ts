import { type Static, Type } from '@sinclair/typebox'
import { SUBSCRIPTION, SUBSCRIPTION_STATES } from '../../states/subscriptions.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, Id, OneOf, PageOf, pageQuery, pathParam, Reason } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'

const subscriptionsTag = defineTag(
  'Subscriptions',
  'What allows a consumer to source the parts of an IP owner that require a subscription, and internal parts by name.',
)

/** Live subscriptions that one organization has requested or granted. */
export const MAX_SUBSCRIPTIONS = 1000
/** Subscriptions to the same parts that one organization requests of, or grants to, another one in a time. */
export const MAX_REPETITIONS = 20
export const REPETITION_DAYS = 30

const EXAMPLE_ID = 'subscription_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_CONSUMER = 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_OWNER = 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YD'

const partId = Id('The part; absent for all parts of the IP owner.', 'part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB')
const expireTime = DateTime('Time at which the subscription ends. Absent: it does not end by itself.', {
  examples: ['2031-05-29T12:00:00.000Z'],
})

export const SubscriptionInput = Type.Partial(
  closed({
    partId,
    ipOwnerOrgId: Id('For a request without a part: the IP owner of the parts.', EXAMPLE_OWNER),
    consumerOrgId: Id('For a grant by the IP owner: the consumer.', EXAMPLE_CONSUMER),
    expireTime,
  }),
  {
    description:
      'A consumer requests a subscription with `partId` or `ipOwnerOrgId`; an IP owner grants one with `consumerOrgId`.',
    examples: [{ partId: 'part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB' }],
  },
)
export type SubscriptionInput = Static<typeof SubscriptionInput>

export const Subscription = closed({
  id: Type.String({ description: 'Id of the subscription.', examples: [EXAMPLE_ID] }),
  ipOwnerOrgId: Type.String({ description: 'IP owner of the parts.', examples: [EXAMPLE_OWNER] }),
  consumerOrgId: Type.String({ description: 'Organization that may source them.', examples: [EXAMPLE_CONSUMER] }),
  partId: Type.Optional(partId),
  state: OneOf(SUBSCRIPTION_STATES, { description: 'State of the subscription.', examples: ['ACTIVE'] }),
  expireTime: Type.Optional(expireTime),
  reason: Type.Optional(
    Type.String({ description: 'Reason of a decline.', examples: ['Only for our service partners.'] }),
  ),
  createdTime: DateTime('Time of the request or the grant.'),
  updatedTime: DateTime('Time of the last change.'),
})
export type Subscription = Static<typeof Subscription>

const subscriptionId = pathParam('id', 'Id of the subscription.', EXAMPLE_ID)
const path = '/flows/v1/subscriptions'

const SUBSCRIPTION_VIEWS = ['CONSUMER', 'IP_OWNER'] as const

export const listSubscriptions = defineOperation({
  id: 'listSubscriptions',
  method: 'GET',
  path,
  tag: subscriptionsTag,
  summary: 'List subscriptions',
  description: 'Newest first: those in which your organization has the role of the view.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    view: OneOf(SUBSCRIPTION_VIEWS, {
      default: 'CONSUMER',
      description: 'Role of your organization.',
      examples: ['IP_OWNER'],
    }),
    state: Type.Optional(
      OneOf(SUBSCRIPTION_STATES, { description: 'State of the subscription.', examples: ['ACTIVE'] }),
    ),
    partId: Type.Optional(
      Type.String({ description: 'Id of the part.', examples: ['part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    ),
    partnerOrgId: Type.Optional(
      Type.String({ description: 'The other organization of the subscription.', examples: [EXAMPLE_CONSUMER] }),
    ),
  }),
  response: PageOf(Subscription),
})

export const getSubscription = defineOperation({
  id: 'getSubscription',
  method: 'GET',
  path: `${path}/{id}`,
  tag: subscriptionsTag,
  summary: 'Get a subscription',
  description: 'For its consumer and its IP owner. Otherwise not found.',
  access: 'token',
  params: subscriptionId,
  response: Subscription,
  etag: true,
})

export const createSubscription = defineOperation({
  id: 'createSubscription',
  method: 'POST',
  path,
  tag: subscriptionsTag,
  summary: 'Request or grant a subscription',
  description: `With \`consumerOrgId\` the IP owner (\`part:publish\`) grants a subscription to one of its parts, or to all of them: it is ACTIVE at once. Otherwise the consumer (\`rfq:create\`) requests one to a part that it can read, or to all parts of \`ipOwnerOrgId\`: it is REQUESTED. There is one live subscription of two organizations for a part, and one for all parts (409). An organization has at most ${MAX_SUBSCRIPTIONS} live ones that it requested or granted, and requests or grants the same one at most ${MAX_REPETITIONS} times in ${REPETITION_DAYS} days.`,
  access: ['rfq:create', 'part:publish'],
  body: SubscriptionInput,
  status: 201,
  answersState: 'REQUESTED',
  response: Subscription,
  refusals: ['conflict', 'limit_reached'],
  audit: {
    procedure: 'subscription.create',
    request: ['subscriptionId', ...Object.keys(SubscriptionInput.properties)],
  },
})

const verb = verbsOf({
  name: 'subscription',
  table: SUBSCRIPTION,
  path: `${path}/{id}`,
  tag: subscriptionsTag,
  params: subscriptionId,
  response: Subscription,
})

export const acceptSubscription = defineOperation({
  ...verb('accept', { note: 'Its expiry must be in the future.' }),
  summary: 'Accept a request for a subscription',
  access: 'part:publish',
})

export const declineSubscription = defineOperation({
  ...verb('decline', { logged: ['reason'] }),
  summary: 'Decline a request for a subscription',
  access: 'part:publish',
  body: closed({
    reason: Type.Optional(Reason('Why; visible to the consumer.', 'Only for our service partners.')),
  }),
  bodyOptional: true,
})

export const deleteSubscription = defineOperation({
  id: 'deleteSubscription',
  method: 'DELETE',
  path: `${path}/{id}`,
  tag: subscriptionsTag,
  summary: 'End a subscription',
  description: `${SUBSCRIPTION.sentence('delete')} The consumer needs \`rfq:create\`, the IP owner \`part:publish\`. The subscription can still be read; published RFQs and orders are unchanged.`,
  transition: SUBSCRIPTION.verbs.delete,
  access: ['rfq:create', 'part:publish'],
  params: subscriptionId,
  status: 204,
  refusals: ['illegal_transition'],
  audit: { procedure: 'subscription.delete', request: ['id'] },
})
