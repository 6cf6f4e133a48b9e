/** The event types that the marketplace and other systems of the platform send to webhook endpoints. */
export const WEBHOOK_EVENT_TYPES = [
  'cases.created',
  'cases.updated',
  'cases.closed',
  'cases.archived',
  'cases.unarchived',
  'cases.tasks.created',
  'cases.tasks.updated',
  'cases.tasks.completed',
  'cases.tasks.deleted',
  'cases.expenses.created',
  'cases.expenses.updated',
  'cases.expenses.deleted',
  'assignments.created',
  'assignments.updated',
  'assignments.status.updated',
  'assignments.archived',
  'assignments.unarchived',
  'assignments.extensions.created',
  'assignments.contacts.created',
  'assignments.contacts.updated',
  'assignments.contacts.deleted',
  'assignments.billing-details.created',
  'assignments.billing-details.updated',
  'assignments.billing-details.deleted',
] as const
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number]

/** `*` stands for one or more further words of a type. */
const WEBHOOK_WILDCARDS = [
  'cases.*',
  'cases.tasks.*',
  'cases.expenses.*',
  'assignments.*',
  'assignments.contacts.*',
  'assignments.billing-details.*',
] as const

/** The values that the `events` of an endpoint may contain. */
export const WEBHOOK_SUBSCRIPTIONS = [...WEBHOOK_EVENT_TYPES, ...WEBHOOK_WILDCARDS] as const
