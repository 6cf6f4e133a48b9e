import type { InboxKind, InboxRecordType } from '../../../proto/http/sourcing/inbox.ts'
import type { Permission } from '../../../proto/permissions.ts'

/** Where items of one kind come from. A new kind is a view, which an index serves, and a row here. */
export interface Source {
  kind: InboxKind
  record: InboxRecordType
  /** The view of the items. Its columns are those of the others. */
  view: string
  /** The permissions that acting and reading need, all of them. */
  permissions: readonly Permission[]
  /** Omits records of the own organization as consumer for callers with this permission, who have them elsewhere. */
  exceptAsConsumerWith?: Permission
  /** Whether the records of a package are one item, about the package. */
  hasPackages?: true
  /** Whether the items wait for one user, or for all but one. */
  users?: 'ONE' | 'OTHERS'
}

/** The type of record to which those of a type belong. */
export const PARENTS: Partial<Record<InboxRecordType, InboxRecordType>> = {
  offer: 'rfq',
  emailInvitation: 'rfq',
  shipment: 'order',
  changeRequest: 'order',
  task: 'case',
  expense: 'case',
}

const ON_CASES = ['case:read', 'case:manage'] as const

export const SOURCES: readonly Source[] = [
  { kind: 'INVITATION', record: 'rfq', view: 'inbox_invitations', permissions: ['offer:create'], hasPackages: true },
  { kind: 'QUESTION', record: 'rfq', view: 'inbox_consumer_questions', permissions: ['rfq:create'], hasPackages: true },
  {
    ...{ kind: 'QUESTION', record: 'rfq' },
    ...{ view: 'inbox_owner_questions', permissions: ['part:update'], exceptAsConsumerWith: 'rfq:create' },
  },
  {
    ...{ kind: 'OUTDATED_OFFER', record: 'offer' },
    ...{ view: 'inbox_outdated_offers', permissions: ['offer:submit'], hasPackages: true },
  },
  {
    ...{ kind: 'INVITATION_TO_CONFIRM', record: 'emailInvitation' },
    ...{ view: 'inbox_email_invitations', permissions: ['rfq:invite'] },
  },
  {
    ...{ kind: 'OFFERS_TO_COMPARE', record: 'rfq' },
    ...{ view: 'inbox_closed_rfqs', permissions: ['rfq:award'], hasPackages: true },
  },
  {
    ...{ kind: 'OFFERS_TO_COMPARE', record: 'rfq' },
    ...{ view: 'inbox_offered_rfqs', permissions: ['rfq:award'], hasPackages: true },
  },
  { kind: 'PART_CHANGED', record: 'rfq', view: 'inbox_changed_parts', permissions: ['rfq:publish'], hasPackages: true },
  { kind: 'FILES_TO_RELEASE', record: 'rfq', view: 'inbox_unreleased_rfqs', permissions: ['part:update'] },
  { kind: 'FILES_TO_RELEASE', record: 'order', view: 'inbox_unreleased_orders', permissions: ['part:update'] },
  { kind: 'ORDER_TO_CONFIRM', record: 'order', view: 'inbox_placed_orders', permissions: ['order:confirm'] },
  { kind: 'DOCUMENTS_MISSING', record: 'order', view: 'inbox_undocumented_orders', permissions: ['file:write'] },
  { kind: 'SHIPMENT_TO_RECEIVE', record: 'shipment', view: 'inbox_shipments', permissions: ['order:receive'] },
  { kind: 'REJECTION_TO_ANSWER', record: 'order', view: 'inbox_rejections', permissions: ['order:update'] },
  { kind: 'REMAKE_TO_DECIDE', record: 'order', view: 'inbox_remakes', permissions: ['order:receive'] },
  {
    ...{ kind: 'CHANGE_TO_DECIDE', record: 'changeRequest' },
    ...{ view: 'inbox_changes_by_manufacturers', permissions: ['rfq:award'] },
  },
  {
    ...{ kind: 'CHANGE_TO_DECIDE', record: 'changeRequest' },
    ...{ view: 'inbox_changes_by_consumers', permissions: ['order:confirm'] },
  },
  { kind: 'OFFER_TO_REINSTATE', record: 'offer', view: 'inbox_lost_offers', permissions: ['offer:submit'] },
  { kind: 'QUANTITY_MISSING', record: 'rfq', view: 'inbox_missing_quantities', permissions: ['rfq:award'] },
  {
    ...{ kind: 'AGREEMENT_TO_ACCEPT', record: 'salesAgreement' },
    ...{ view: 'inbox_agreements_of_sellers', permissions: ['app:manufacturer', 'order:confirm'] },
  },
  {
    ...{ kind: 'AGREEMENT_TO_ACCEPT', record: 'salesAgreement' },
    ...{ view: 'inbox_agreements_of_manufacturers', permissions: ['app:seller'] },
  },
  { kind: 'TASK', record: 'task', view: 'inbox_tasks_of_organizations', permissions: ON_CASES },
  { kind: 'TASK', record: 'task', view: 'inbox_tasks_of_users', permissions: ON_CASES, users: 'ONE' },
  { kind: 'EXPENSE_TO_DECIDE', record: 'expense', view: 'inbox_expenses_of_others', permissions: ON_CASES },
  { kind: 'EXPENSE_TO_DECIDE', record: 'expense', view: 'inbox_own_expenses', permissions: ON_CASES, users: 'OTHERS' },
  { kind: 'UNREAD_MESSAGES', record: 'case', view: 'inbox_unread_cases', permissions: ['case:read'] },
  {
    ...{ kind: 'SUBSCRIPTION_REQUEST', record: 'subscription' },
    ...{ view: 'inbox_subscription_requests', permissions: ['part:publish'] },
  },
]

/** The sources whose items a caller may act on. */
export function sourcesFor(permissions: ReadonlySet<Permission>, kind: InboxKind | undefined): Source[] {
  return SOURCES.filter(
    (source) =>
      (kind === undefined || source.kind === kind) && source.permissions.every((needed) => permissions.has(needed)),
  )
}
