import { type TSchema, Type } from '@sinclair/typebox'
import { closed } from '../http/shapes.ts'
import { AssignmentContact } from '../http/sourcing/assignment-contacts.ts'
import { Assignment, AssignmentExtension } from '../http/sourcing/assignments.ts'
import { BillingDetails } from '../http/sourcing/billing-details.ts'
import type { WebhookEventType } from '../webhook-events.ts'
import { Cause } from './shapes.ts'

type AssignmentEventType = Extract<WebhookEventType, `assignments.${string}`>

const ofAssignment = (description: string) =>
  closed({ assignment: Assignment, cause: Type.Optional(Cause) }, { description })

const ofExtension = (description: string) =>
  closed({ assignment: Assignment, extension: AssignmentExtension }, { description })

const ofContact = (description: string) =>
  closed({ assignment: Assignment, contact: AssignmentContact }, { description })

const ofBillingDetails = (description: string) =>
  closed({ assignment: Assignment, billingDetails: BillingDetails }, { description })

/** The data of each event about an assignment: the records as they are after the change. No event contains a price. */
export const ASSIGNMENT_EVENTS = {
  'assignments.created': ofAssignment('An award placed an order and opened its assignment.'),
  'assignments.updated': ofAssignment(
    'The manufacturer replaced the milestones of the order, its IP owner released files for it, or its documents changed.',
  ),
  'assignments.status.updated': ofAssignment('The state of the order changed.'),
  'assignments.archived': ofAssignment('An organization of the order archived the assignment.'),
  'assignments.unarchived': ofAssignment('An organization of the order unarchived the assignment.'),
  'assignments.extensions.created': ofExtension('The manufacturer set a later expected day of delivery.'),
  'assignments.contacts.created': ofContact('An organization of the order created a contact.'),
  'assignments.contacts.updated': ofContact('An organization of the order changed a contact of its own.'),
  'assignments.contacts.deleted': ofContact(
    'An organization of the order deleted a contact of its own, here as it was.',
  ),
  'assignments.billing-details.created': ofBillingDetails('An organization of the order created billing details.'),
  'assignments.billing-details.updated': ofBillingDetails(
    'An organization of the order changed billing details of its own.',
  ),
  'assignments.billing-details.deleted': ofBillingDetails(
    'An organization of the order deleted billing details of its own, here as they were.',
  ),
} as const satisfies Record<AssignmentEventType, TSchema>
