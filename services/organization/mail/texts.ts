import type { InboxKind } from '../../../proto/http/sourcing/inbox.ts'
import type { Notice, NoticeKind, RfqRole, Waiting } from './rules.ts'

/** An RFQ as the organization of the recipient reads it. */
export interface ReadRfq {
  serialNumber: string
  title: string | null
  expireTime: string
}

/** The RFQs of a package that the organization reads. */
export interface ReadPackage {
  /** Null until the terms of its lines are accepted. */
  title: string | null
  lines: number
  /** The last expiry of those that are open. */
  expireTime: string | null
}

/** What the organization of the recipient reads: RFQs by id, packages by id and role. */
export interface ReadRecords {
  rfqs: ReadonlyMap<string, ReadRfq>
  packages: ReadonlyMap<string, ReadPackage>
}

export interface Line {
  text: string
  url?: string | undefined
}

export interface Link extends Line {
  url: string
}

/** A text of another organization, of which mail programs make no link. */
export const unlinked = (text: string) => text.replaceAll('://', ' ').replace(/[.\u3002\uff0e\uff61](?! |$)/g, '. ')

/** `2026-04-29 09:10 UTC`. */
export const shownTime = (time: string) => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`

const STEPS = new Map([
  ['CONFIRMED', 'is confirmed'],
  ['DECLINED', 'is declined'],
  ['IN_PRODUCTION', 'is in production'],
  ['INSPECTION', 'is in inspection'],
  ['SHIPPED', 'is shipped'],
  ['DELIVERED', 'is delivered'],
  ['COMPLETED', 'is completed'],
  ['CANCELLED', 'is cancelled'],
  ['ON_HOLD', 'is on hold'],
])

interface About extends Notice {
  rfq: string
  package: string
  /** `12 RFQs`. */
  lines: string
  order: string
  until: string
}

const TEXTS: Readonly<Record<NoticeKind, (about: About) => string>> = {
  invited: ({ rfq, until }) => `You are invited to quote for ${rfq}${until}`,
  amended: ({ rfq }) => `${rfq} was amended: reconfirm or revise an offer that you have submitted`,
  partChanged: ({ rfq }) => `The part of ${rfq} has changed since it was published`,
  extended: ({ rfq, until }) => `${rfq} was extended${until}`,
  reopened: ({ rfq, until }) => `${rfq} is open again${until}`,
  cancelled: ({ rfq }) => `${rfq} is cancelled`,
  closed: ({ rfq }) => `${rfq} is closed`,
  toCompare: ({ rfq }) => `${rfq} is closed: compare the offers`,
  declined: ({ rfq }) => `An invitation to ${rfq} was declined`,
  questionAsked: ({ rfq }) => `A manufacturer has a question about ${rfq}`,
  questionAnswered: ({ rfq }) => `A question about ${rfq} was answered`,
  clarified: ({ rfq }) => `${rfq} was clarified`,
  offered: ({ rfq }) => `${rfq} has a new offer`,
  offerReconfirmed: ({ rfq }) => `An offer for ${rfq} was reconfirmed`,
  offerWithdrawn: ({ rfq }) => `An offer for ${rfq} was withdrawn`,
  offerExpired: ({ rfq }) => `An offer for ${rfq} has expired`,
  ownOfferExpired: ({ rfq }) => `Your offer for ${rfq} has expired`,
  rejected: ({ rfq }) => `Your offer for ${rfq} was rejected`,
  awarded: ({ rfq }) => `${rfq} was awarded`,
  ordered: ({ order }) => `${order} was placed`,
  orderStep: ({ order, status = '' }) => `${order} ${STEPS.get(status) ?? 'changed'}`,
  delayed: ({ order, dueDate }) => `${order} is expected on ${dueDate}`,
  rfqFilesReleased: ({ rfq }) => `The confidential files for ${rfq} were released to you`,
  filesReleased: ({ order }) => `The files for ${order} were released`,
  shipmentCreated: ({ order }) => `Some pieces of ${order} were shipped`,
  shipmentReceived: ({ order }) => `A shipment of ${order} was received`,
  remakeProposed: ({ order }) => `The manufacturer of ${order} proposes to make rejected pieces again`,
  remakeAccepted: ({ order }) => `A remake for ${order} was accepted`,
  remakeDeclined: ({ order }) => `A remake for ${order} was declined`,
  changeProposed: ({ order }) => `A change of ${order} is proposed`,
  changeDeclined: ({ order }) => `A change of ${order} was declined`,
  changeWithdrawn: ({ order }) => `A proposed change of ${order} was withdrawn`,
  orderChanged: ({ order }) => `${order} was changed by agreement`,
  rfqReturned: ({ rfq }) => `No order of ${rfq} is left: award it again`,
  quantityMissing: ({ rfq }) => `An order of ${rfq} was lost: place its quantity again`,
  offerAskedFor: ({ rfq }) => `An order of ${rfq} was lost: reinstate your offer if it still stands`,
  offerReinstated: ({ rfq }) => `An offer for ${rfq} was reinstated`,
  packageInvited: ({ package: name, lines, until }) => `You are invited to quote for ${lines} of ${name}${until}`,
  packageAmended: ({ package: name }) =>
    `RFQs of ${name} were amended: reconfirm or revise the offers that you have submitted`,
  packageExtended: ({ package: name, until }) => `RFQs of ${name} were extended${until}`,
  packageReopened: ({ package: name, until }) => `RFQs of ${name} are open again${until}`,
  packageCancelled: ({ package: name }) => `RFQs of ${name} are cancelled`,
  packageClosed: ({ package: name }) => `RFQs of ${name} are closed`,
  packageToCompare: ({ package: name }) => `RFQs of ${name} are closed: compare the offers`,
  packageOffered: ({ package: name }) => `RFQs of ${name} have new offers`,
  packageRejected: ({ package: name }) => `Offers of yours for ${name} were rejected`,
  packageAwarded: ({ package: name }) => `RFQs of ${name} were awarded`,
  caseOpened: () => 'Another organization opened a case with you',
  caseClosed: () => 'Another organization closed a case',
  caseTask: () => 'Another organization added a task to a case',
  caseExpense: () => 'Another organization added an expense to a case',
  caseMessage: ({ rfqId, rfq, count = 1 }) =>
    `${count === 1 ? 'A new message' : `${count} new messages`} in a case${rfqId === undefined ? '' : ` about ${rfq}`}`,
  expenseApproved: () => 'Another organization approved your expense in a case',
  expenseRejected: () => 'Another organization rejected your expense in a case',
  inbox: ({ waiting = [] }) => `Waiting for your organization: ${waiting.map(waitingText).join(', ')}`,
  inboxPackage: ({ package: name, waiting = [] }) => `Of ${name}: ${waiting.map(waitingText).join(', ')}`,
  subscriptionRequested: () => 'Another organization requests a subscription to your parts',
  subscriptionGranted: () => 'An IP owner granted you a subscription to its parts',
  subscriptionAccepted: () => 'Your request for a subscription was accepted',
  subscriptionDeclined: () => 'Your request for a subscription was declined',
  subscriptionEnded: () => 'Another organization ended a subscription',
  subscriptionExpired: () => 'A subscription has expired',
  requirementsCleared: () =>
    'Your parts no longer require a subscription: the setting had no effect until now. Set it again where you want it',
  agreementProposed: () => 'Another organization proposes a sales agreement',
  agreementAccepted: () => 'A sales agreement that you proposed was accepted',
  agreementEnded: () => 'Another organization ended a sales agreement',
  registrationPending: () => 'A company has registered and waits for your decision',
  endpointPaused: () => 'A webhook endpoint was paused, because its deliveries failed for three days',
}

/** What one and several items of each kind of the inbox are called. */
const WAITING: Readonly<Record<InboxKind, readonly [string, string]>> = {
  INVITATION: ['invitation', 'invitations'],
  QUESTION: ['RFQ with questions', 'RFQs with questions'],
  OUTDATED_OFFER: ['outdated offer', 'outdated offers'],
  INVITATION_TO_CONFIRM: ['invited organization to confirm', 'invited organizations to confirm'],
  OFFERS_TO_COMPARE: ['RFQ to compare', 'RFQs to compare'],
  PART_CHANGED: ['RFQ with a changed part', 'RFQs with a changed part'],
  FILES_TO_RELEASE: ['RFQ or order with files to release', 'RFQs or orders with files to release'],
  ORDER_TO_CONFIRM: ['order to confirm', 'orders to confirm'],
  DOCUMENTS_MISSING: ['order with missing documents', 'orders with missing documents'],
  SHIPMENT_TO_RECEIVE: ['shipment to receive', 'shipments to receive'],
  REJECTION_TO_ANSWER: ['order with rejected pieces', 'orders with rejected pieces'],
  REMAKE_TO_DECIDE: ['remake to decide', 'remakes to decide'],
  CHANGE_TO_DECIDE: ['change of an order to decide', 'changes of orders to decide'],
  OFFER_TO_REINSTATE: ['offer that is asked for again', 'offers that are asked for again'],
  QUANTITY_MISSING: ['RFQ with a missing quantity', 'RFQs with missing quantities'],
  AGREEMENT_TO_ACCEPT: ['sales agreement to accept', 'sales agreements to accept'],
  TASK: ['task', 'tasks'],
  EXPENSE_TO_DECIDE: ['expense to decide', 'expenses to decide'],
  UNREAD_MESSAGES: ['case with unread messages', 'cases with unread messages'],
  SUBSCRIPTION_REQUEST: ['request for a subscription', 'requests for a subscription'],
}

const waitingText = ({ kind, count }: Waiting) => `${count} ${WAITING[kind][count === 1 ? 0 : 1]}`

/** The line of a mail for one item, with the page of the console that shows it, where there is a console. */
export function lineOf(notice: Notice, { rfqs, packages }: ReadRecords, consoleUrl: string | undefined): Line {
  const read = rfqs.get(notice.rfqId ?? '')
  const readPackage = packages.get(`${notice.packageId} ${notice.role}`)
  const expireTime = read?.expireTime ?? readPackage?.expireTime
  const title = read?.title ? ` (${unlinked(read.title)})` : ''
  const about = {
    ...notice,
    rfq: read ? `RFQ ${read.serialNumber}${title}` : 'an RFQ',
    package: readPackage?.title ? `the package ${unlinked(readPackage.title)}` : 'a package',
    lines: readPackage?.lines === 1 ? '1 RFQ' : `${readPackage?.lines ?? 'several'} RFQs`,
    order: `Order ${notice.serialNumber}${title}`,
    until: expireTime ? `, until ${shownTime(expireTime)}` : '',
  }
  return { text: TEXTS[notice.kind](about), url: consoleUrl && `${consoleUrl}${pathOf(notice)}` }
}

const TO_OFFER: ReadonlySet<NoticeKind> = new Set<NoticeKind>([
  'invited',
  'amended',
  'extended',
  'reopened',
  'ownOfferExpired',
  'rejected',
  'offerAskedFor',
])

const TO_RFQ: ReadonlySet<NoticeKind> = new Set<NoticeKind>([
  'partChanged',
  'questionAsked',
  'questionAnswered',
  'clarified',
  'rfqReturned',
  'quantityMissing',
])

function pathOf(notice: Notice): string {
  const { kind, endpointId, caseId, orderId, packageId, rfqId, role, salesAgreementId, subscriptionId } = notice
  if (packageId) return `/packages/${packageId}`
  if (endpointId) return `/webhooks/${endpointId}`
  if (caseId) return `/cases/${caseId}`
  if (orderId) return `/orders/${orderId}`
  if (salesAgreementId) return '/sales-agreements'
  if (kind === 'inbox') return ''
  if (kind === 'requirementsCleared') return '/parts'
  if (kind === 'registrationPending') return '/organization/registrations'
  if (subscriptionId) return `/subscriptions${kind === 'subscriptionRequested' ? '?view=IP_OWNER' : ''}`
  if (TO_RFQ.has(kind)) return `/rfqs/${rfqId}`
  return `/rfqs/${rfqId}${TO_OFFER.has(kind) ? '/offer' : comparisonFor(role)}`
}

const comparisonFor = (role: RfqRole | undefined) => (role === 'CONSUMER' ? '/comparison' : '')
