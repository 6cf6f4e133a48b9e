import type { Assignment } from '../../../../proto/http/sourcing/assignments.ts'
import {
  type BillingDetails,
  type BillingDetailsInput,
  type BillingDetailsPatch,
  MAX_BILLING_DETAILS,
} from '../../../../proto/http/sourcing/billing-details.ts'
import { notifyParties } from '../../notifications/emit.ts'
import { subrecordCommands } from '../../subrecords/commands.ts'
import { lockAssignment, requireEditable } from '../commands.ts'

export const billingDetails = subrecordCommands<Assignment, BillingDetailsInput, BillingDetailsPatch>({
  kind: 'billing',
  parentField: 'assignmentId',
  max: MAX_BILLING_DETAILS,
  tooMany: `An organization has at most ${MAX_BILLING_DETAILS} billing details for an assignment.`,
  lockParent: lockAssignment,
  requireLegal: (_tx, assignment) => requireEditable(assignment),
  contentOf: ({ companyName, address, taxId, email, reference }) => ({
    companyName,
    address,
    taxId,
    email,
    reference,
  }),
  notify: (tx, assignment, change, details) =>
    notifyParties(tx, [
      {
        type: `assignments.billing-details.${change}`,
        data: { assignment, billingDetails: details as BillingDetails },
      },
    ]),
})
