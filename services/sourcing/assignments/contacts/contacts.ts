import {
  type AssignmentContact,
  type AssignmentContactInput,
  type AssignmentContactPatch,
  MAX_CONTACTS,
} from '../../../../proto/http/sourcing/assignment-contacts.ts'
import type { Assignment } from '../../../../proto/http/sourcing/assignments.ts'
import { notifyParties } from '../../notifications/emit.ts'
import { subrecordCommands } from '../../subrecords/commands.ts'
import { lockAssignment, requireEditable } from '../commands.ts'

export const contacts = subrecordCommands<Assignment, AssignmentContactInput, AssignmentContactPatch>({
  kind: 'contact',
  parentField: 'assignmentId',
  max: MAX_CONTACTS,
  tooMany: `An organization has at most ${MAX_CONTACTS} contacts for an assignment.`,
  lockParent: lockAssignment,
  requireLegal: (_tx, assignment) => requireEditable(assignment),
  contentOf: ({ name, role, email, phone }) => ({ name, role, email, phone }),
  notify: (tx, assignment, change, contact) =>
    notifyParties(tx, [
      { type: `assignments.contacts.${change}`, data: { assignment, contact: contact as AssignmentContact } },
    ]),
})
