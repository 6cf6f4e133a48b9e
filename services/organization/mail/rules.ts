import type { MailTopic } from '../../../proto/http/organization/mail-addresses.ts'
import type { InboxKind } from '../../../proto/http/sourcing/inbox.ts'

/** The event types that mails are about. */
export const MAIL_SUBJECTS = [
  'cases.>',
  'assignments.>',
  'webhooks.>',
  'sourcing.subscription.>',
  'sourcing.salesAgreement.>',
]

/** What mails use of an event. */
export interface MailedEvent {
  orgId: string
  type: string
  time: string
  /** Type of the domain event behind it. */
  cause: string
  rfqId: string | undefined
  order: Pick<Notice, 'orderId' | 'serialNumber' | 'status' | 'dueDate'> | undefined
  endpointId: string | undefined
  subscriptionId: string | undefined
  salesAgreementId: string | undefined
  /** The case itself, where it changed, and the organization that changed it. */
  caseOf: { caseId: string; causedBy: string } | undefined
  /** Whether a case got a message. */
  isMessage: boolean
  /** The decision of an expense. */
  decision?: 'expenseApproved' | 'expenseRejected'
  /** Whether the organization proposed the expense. */
  isProposer?: boolean
  /** Whether it is the case of another organization, whose RFQ the organization learns of by its own case. */
  isOfOther: boolean
  /** The records whose creators are notified. */
  recordIds: readonly string[]
}

/** One item of a mail. Its texts are written when the mail is sent. */
export interface Notice {
  kind: NoticeKind
  time: string
  rfqId?: string
  /** The package of its RFQs. All of them are one item. */
  packageId?: string
  role?: RfqRole | undefined
  orderId?: string | undefined
  serialNumber?: string | undefined
  status?: string | undefined
  dueDate?: string | undefined
  endpointId?: string
  subscriptionId?: string | undefined
  salesAgreementId?: string | undefined
  caseId?: string
  /** The messages of a case, which are one item. */
  count?: number
  /** What waits for the organization, of all its records or of a package. */
  waiting?: readonly Waiting[]
}

/** A kind of items of the inbox, and how many wait. */
export interface Waiting {
  kind: InboxKind
  count: number
}

export type NoticeKind =
  | 'invited'
  | 'amended'
  | 'partChanged'
  | 'extended'
  | 'reopened'
  | 'cancelled'
  | 'closed'
  | 'toCompare'
  | 'declined'
  | 'questionAsked'
  | 'questionAnswered'
  | 'clarified'
  | 'offered'
  | 'offerReconfirmed'
  | 'offerWithdrawn'
  | 'offerExpired'
  | 'ownOfferExpired'
  | 'rejected'
  | 'awarded'
  | 'ordered'
  | 'orderStep'
  | 'delayed'
  | 'filesReleased'
  | 'shipmentCreated'
  | 'shipmentReceived'
  | 'remakeProposed'
  | 'remakeAccepted'
  | 'remakeDeclined'
  | 'changeProposed'
  | 'changeDeclined'
  | 'changeWithdrawn'
  | 'orderChanged'
  | 'rfqReturned'
  | 'quantityMissing'
  | 'offerAskedFor'
  | 'offerReinstated'
  | 'rfqFilesReleased'
  | 'packageInvited'
  | 'packageAmended'
  | 'packageExtended'
  | 'packageReopened'
  | 'packageCancelled'
  | 'packageClosed'
  | 'packageToCompare'
  | 'packageOffered'
  | 'packageRejected'
  | 'packageAwarded'
  | 'caseOpened'
  | 'caseClosed'
  | 'caseTask'
  | 'caseExpense'
  | 'caseMessage'
  | 'expenseApproved'
  | 'expenseRejected'
  | 'inbox'
  | 'inboxPackage'
  | 'endpointPaused'
  | 'subscriptionRequested'
  | 'subscriptionGranted'
  | 'subscriptionAccepted'
  | 'subscriptionDeclined'
  | 'subscriptionEnded'
  | 'subscriptionExpired'
  | 'requirementsCleared'
  | 'agreementProposed'
  | 'agreementAccepted'
  | 'agreementEnded'
  | 'registrationPending'

type Choice = readonly [MailTopic, NoticeKind] | undefined

/**
 * The notices of a change of an RFQ or of an offer, by the role of an organization; none for the one that caused it.
 * The event of an offer reaches only organizations that may know of it; to a manufacturer it is its own offer.
 */
const BY_CAUSE: Readonly<Record<string, Partial<Record<RfqRole, Choice>>>> = {
  'sourcing.rfq.published': { MANUFACTURER: ['INVITATIONS', 'invited'] },
  'sourcing.rfq.invited': { MANUFACTURER: ['INVITATIONS', 'invited'] },
  'sourcing.rfq.amended': { MANUFACTURER: ['INVITATIONS', 'amended'] },
  'sourcing.rfq.partChanged': { CONSUMER: ['OFFERS', 'partChanged'] },
  'sourcing.rfq.extended': { MANUFACTURER: ['INVITATIONS', 'extended'] },
  'sourcing.rfq.reopened': { MANUFACTURER: ['INVITATIONS', 'reopened'] },
  'sourcing.rfq.cancelled': { MANUFACTURER: ['INVITATIONS', 'cancelled'] },
  'sourcing.rfq.closed': { CONSUMER: ['OFFERS', 'toCompare'], MANUFACTURER: ['INVITATIONS', 'closed'] },
  'sourcing.rfq.declined': { CONSUMER: ['OFFERS', 'declined'] },
  'sourcing.rfq.filesReleased': { MANUFACTURER: ['INVITATIONS', 'rfqFilesReleased'] },
  'sourcing.rfq.questionAsked': { CONSUMER: ['OFFERS', 'questionAsked'] },
  'sourcing.rfq.questionAnswered': { MANUFACTURER: ['INVITATIONS', 'questionAnswered'] },
  'sourcing.rfq.clarified': { MANUFACTURER: ['INVITATIONS', 'clarified'] },
  'sourcing.rfq.awarded': { IP_OWNER: ['AWARDS', 'awarded'], MANUFACTURER: ['AWARDS', 'awarded'] },
  'sourcing.offer.submitted': { CONSUMER: ['OFFERS', 'offered'], IP_OWNER: ['OFFERS', 'offered'] },
  'sourcing.offer.reconfirmed': { CONSUMER: ['OFFERS', 'offerReconfirmed'], IP_OWNER: ['OFFERS', 'offerReconfirmed'] },
  'sourcing.offer.withdrawn': { CONSUMER: ['OFFERS', 'offerWithdrawn'], IP_OWNER: ['OFFERS', 'offerWithdrawn'] },
  'sourcing.offer.expired': { CONSUMER: ['OFFERS', 'offerExpired'], MANUFACTURER: ['OFFERS', 'ownOfferExpired'] },
  'sourcing.rfq.returned': { CONSUMER: ['AWARDS', 'rfqReturned'], MANUFACTURER: ['OFFERS', 'offerAskedFor'] },
  'sourcing.rfq.quantityMissing': {
    CONSUMER: ['AWARDS', 'quantityMissing'],
    MANUFACTURER: ['OFFERS', 'offerAskedFor'],
  },
  'sourcing.rfq.reawarded': { IP_OWNER: ['AWARDS', 'awarded'], MANUFACTURER: ['AWARDS', 'awarded'] },
  'sourcing.offer.reinstated': { CONSUMER: ['OFFERS', 'offerReinstated'], IP_OWNER: ['OFFERS', 'offerReinstated'] },
  'sourcing.offer.rejected': { MANUFACTURER: ['OFFERS', 'rejected'] },
}

/** The notices that are about a package where the RFQ is a line of one. */
const OF_PACKAGE: Partial<Record<NoticeKind, NoticeKind>> = {
  invited: 'packageInvited',
  amended: 'packageAmended',
  extended: 'packageExtended',
  reopened: 'packageReopened',
  cancelled: 'packageCancelled',
  closed: 'packageClosed',
  toCompare: 'packageToCompare',
  offered: 'packageOffered',
  rejected: 'packageRejected',
  awarded: 'packageAwarded',
}

/** What another organization does in a case. */
const CASE_NOTICES: ReadonlyMap<string, NoticeKind> = new Map([
  ['cases.created', 'caseOpened'],
  ['cases.closed', 'caseClosed'],
  ['cases.tasks.created', 'caseTask'],
  ['cases.expenses.created', 'caseExpense'],
])

/**
 * Whether an event is about the case itself, and not about what it follows. The mail about a receipt does not name the
 * case that rejected pieces open.
 */
const isOfCase = (type: string, cause: string) =>
  cause === '' || (type === 'cases.created' && cause === 'sourcing.order.shipmentReceived')

/** Events of subscriptions and sales agreements, each for an organization that did not cause it. */
const AGREEMENT_NOTICES: ReadonlyMap<string, NoticeKind> = new Map([
  ['sourcing.subscription.requested', 'subscriptionRequested'],
  ['sourcing.subscription.granted', 'subscriptionGranted'],
  ['sourcing.subscription.accepted', 'subscriptionAccepted'],
  ['sourcing.subscription.declined', 'subscriptionDeclined'],
  ['sourcing.subscription.ended', 'subscriptionEnded'],
  ['sourcing.subscription.expired', 'subscriptionExpired'],
  ['sourcing.subscription.requirementsCleared', 'requirementsCleared'],
  ['sourcing.salesAgreement.proposed', 'agreementProposed'],
  ['sourcing.salesAgreement.accepted', 'agreementAccepted'],
  ['sourcing.salesAgreement.ended', 'agreementEnded'],
])

/** Changes of an order that keep its state, each for those who are notified of it. */
const ORDER_NOTICES: ReadonlyMap<string, NoticeKind> = new Map([
  ['sourcing.order.filesReleased', 'filesReleased'],
  ['sourcing.order.shipmentCreated', 'shipmentCreated'],
  ['sourcing.order.shipmentReceived', 'shipmentReceived'],
  ['sourcing.order.remakeProposed', 'remakeProposed'],
  ['sourcing.order.remakeAccepted', 'remakeAccepted'],
  ['sourcing.order.remakeDeclined', 'remakeDeclined'],
  ['sourcing.order.changeProposed', 'changeProposed'],
  ['sourcing.order.changeDeclined', 'changeDeclined'],
  ['sourcing.order.changeWithdrawn', 'changeWithdrawn'],
  ['sourcing.order.changed', 'orderChanged'],
])

/** Of several roles of an organization the first counts, so that it gets no notice of what it does itself. */
export const RFQ_ROLES = ['CONSUMER', 'MANUFACTURER', 'IP_OWNER'] as const
export type RfqRole = (typeof RFQ_ROLES)[number]

/** The role of an organization in an RFQ, and the package of which it reads the RFQ as a line. */
export interface Reader {
  role: RfqRole
  packageId: string | null
}

/** The notice of an event for an organization that reads the RFQ, with the topic; undefined where it gets none. */
export function noticeOf(
  event: MailedEvent,
  reader: Reader | undefined,
): { topic: MailTopic; notice: Notice } | undefined {
  const { type, time, cause, rfqId, order, endpointId, orgId, caseOf, isMessage, isOfOther } = event
  if (type === 'webhooks.endpoint.paused') {
    return endpointId ? { topic: 'ENDPOINTS', notice: { kind: 'endpointPaused', time, endpointId } } : undefined
  }
  const ofAgreement = AGREEMENT_NOTICES.get(type)
  if (ofAgreement) {
    const { subscriptionId, salesAgreementId } = event
    return { topic: 'CASES', notice: { kind: ofAgreement, time, subscriptionId, salesAgreementId } }
  }
  if (caseOf && isMessage) {
    const { caseId, causedBy } = caseOf
    const notice: Notice = { kind: 'caseMessage', time, caseId, count: 1, ...(rfqId === undefined ? {} : { rfqId }) }
    return causedBy === orgId ? undefined : { topic: 'CASES', notice }
  }
  const { decision, isProposer = false } = event
  if (caseOf && decision) {
    const { caseId, causedBy } = caseOf
    return causedBy !== orgId && isProposer ? { topic: 'CASES', notice: { kind: decision, time, caseId } } : undefined
  }
  if (isOfOther && !isOfCase(type, cause)) return undefined
  const ofCase = CASE_NOTICES.get(type)
  if (caseOf && ofCase && isOfCase(type, cause)) {
    const { caseId, causedBy } = caseOf
    return causedBy === orgId ? undefined : { topic: 'CASES', notice: { kind: ofCase, time, caseId } }
  }
  const role = reader?.role
  const choice = order ? orderChoice(type, cause) : role && BY_CAUSE[cause]?.[role]
  if (!choice || rfqId === undefined) return undefined
  const [topic, kind] = choice
  const ofPackage = OF_PACKAGE[kind]
  if (reader?.packageId && ofPackage) {
    return { topic, notice: { kind: ofPackage, time, packageId: reader.packageId, role } }
  }
  return { topic, notice: { kind, time, rfqId, role, ...order } }
}

function orderChoice(type: string, cause: string): Choice {
  if (type === 'assignments.created') return ['AWARDS', 'ordered']
  if (type === 'assignments.status.updated') return ['ORDERS', 'orderStep']
  if (type === 'assignments.extensions.created') return ['ORDERS', 'delayed']
  const changed = ORDER_NOTICES.get(cause)
  return changed && ['ORDERS', changed]
}
