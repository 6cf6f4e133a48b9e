import type { Static, TSchema } from '@sinclair/typebox'
import { ASSIGNMENT_EVENTS } from './assignments.ts'
import { CASE_EVENTS } from './cases.ts'
import { CATALOG_EVENTS } from './catalog.ts'
import type { StreamName } from './envelope.ts'
import { IDENTITY_EVENTS } from './identity.ts'
import { ORGANIZATION_EVENTS } from './organization.ts'
import { SOURCING_EVENTS } from './sourcing.ts'
import { WEBHOOKS_EVENTS } from './webhooks.ts'

const DOMAIN = { ...IDENTITY_EVENTS, ...CATALOG_EVENTS, ...SOURCING_EVENTS, ...ORGANIZATION_EVENTS, ...WEBHOOKS_EVENTS }
const NOTIFICATIONS = { ...CASE_EVENTS, ...ASSIGNMENT_EVENTS }

/** The data of every event by its type, for each stream. The description of a schema is that of the event. */
export const EVENTS: Record<StreamName, Readonly<Record<string, TSchema>>> = { DOMAIN, NOTIFICATIONS }

type Schemas = typeof DOMAIN & typeof NOTIFICATIONS
export type EventType = keyof Schemas

/** The data of an event, or of one of several. */
export type EventData<Type extends EventType> = Static<Schemas[Type]>

/** An event with its data: one member for each of several types. */
export type EventOf<Type extends EventType> = { [Each in Type]: { type: Each; data: EventData<Each> } }[Type]

/** The last words of the types of a record: `created` of `sourcing.part.created`. */
export type EventName<Record extends string> = EventType extends infer Type
  ? Type extends `${Record}.${infer Name}`
    ? Name
    : never
  : never

export type CaseEvent = EventOf<Extract<EventType, `cases.${string}`>>
export type AssignmentEvent = EventOf<Extract<EventType, `assignments.${string}`>>

/** The events that end sessions, keys or tokens, or change what a caller may do. */
export const AUTHORITY_EVENTS = [
  'identity.session.revoked',
  'identity.token.revoked',
  'identity.key.revoked',
  'organization.serviceAccountKey.revoked',
  'organization.user.changed',
  'organization.role.changed',
  'organization.org.changed',
] as const satisfies readonly EventType[]

/**
 * The events that every process of a service receives at once, because it holds a cache of what they change. They are
 * rare: on Postgres the commit of one takes a lock of the whole server.
 */
export const SUBSCRIBED_EVENTS = ['catalog.reloaded', ...AUTHORITY_EVENTS] as const satisfies readonly EventType[]
export type SubscribedEvent = (typeof SUBSCRIBED_EVENTS)[number]
