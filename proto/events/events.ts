import type { TSchema } from '@sinclair/typebox'
import { ASSIGNMENT_EVENTS } from './assignments.ts'
import { CASE_EVENTS } from './cases.ts'
import { CATALOG_EVENTS } from './catalog.ts'
import type { StreamName } from './envelope.ts'
import { IDENTITY_EVENTS } from './identity.ts'
import { ORGANIZATION_EVENTS } from './organization.ts'
import { SOURCING_EVENTS } from './sourcing.ts'
import { WEBHOOKS_EVENTS } from './webhooks.ts'

/** The data of every event by its type, for each stream. The description of a schema is that of the event. */
export const EVENTS: Record<StreamName, Readonly<Record<string, TSchema>>> = {
  DOMAIN: { ...IDENTITY_EVENTS, ...CATALOG_EVENTS, ...SOURCING_EVENTS, ...ORGANIZATION_EVENTS, ...WEBHOOKS_EVENTS },
  NOTIFICATIONS: { ...CASE_EVENTS, ...ASSIGNMENT_EVENTS },
}
