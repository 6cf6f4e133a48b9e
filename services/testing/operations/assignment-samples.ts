import type { Permission } from '../../../proto/permissions.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import type { RecordName } from '../records.ts'
import { billingDetailsOf, contactOf, extensionOf, finish } from './assignments.ts'
import type { Input, Place } from './inputs.ts'
import { makerOf, type OperationSample, unfit } from './operation-sample.ts'

type Values = (fixtures: Fixtures, account: Account) => Promise<Record<Place, unknown>>

const BILLING_REFERENCES = { 'body.taxId': 'shared', 'body.address': 'shared' } as const

/**
 * The references of an operation on a record of an assignment, and a request that names both. A record of another
 * assignment of the account is not found, and neither is that assignment's for this record.
 */
function inAssignment(record: RecordName, place: Place, make: Values, permission: Permission): OperationSample {
  return {
    references: {
      'path.id': unfit('boughtAssignment', 404, permission),
      [place]: unfit(record, 404, permission),
      ...BILLING_REFERENCES,
    },
    values: async (fixtures, account) => make(fixtures, await makerOf(record, fixtures, account)),
  }
}

/** The assignment of the request is archived. */
const archived = async (fixtures: Fixtures, _: Account, input: Input) => {
  await finish(fixtures, String(input.params.id), true)
  return input
}

const contact = (permission: Permission) => inAssignment('assignmentContact', 'path.contactId', contactOf, permission)
const billingDetails = (permission: Permission) =>
  inAssignment('billingDetails', 'path.billingDetailsId', billingDetailsOf, permission)

/** Assignments with their extensions, contacts and billing details. */
export const ASSIGNMENT_SAMPLES: Record<string, OperationSample> = {
  listAssignments: {
    references: {
      'query.orderId': ['boughtOrder', 'placedOrder'],
      'query.rfqId': ['draftRfq', 'openRfq'],
      'query.partId': ['draftPart', 'internalPart'],
      'query.factoryId': 'internalFactory',
    },
  },
  getAssignment: { references: { 'path.id': ['boughtAssignment', 'madeAssignment'] } },
  archiveAssignment: { references: { 'path.id': 'finishedAssignment' }, conflict: 'race' },
  unarchiveAssignment: { references: { 'path.id': 'archivedAssignment' }, conflict: 'race' },
  createAssignmentExtension: {
    by: 'manufacturer',
    references: { 'path.id': 'madeAssignment' },
    conflict: async (fixtures, _, input) => {
      await finish(fixtures, String(input.params.id), false)
      return input
    },
  },
  listAssignmentExtensions: { references: { 'path.id': ['boughtAssignment', 'madeAssignment'] } },
  getAssignmentExtension: inAssignment('assignmentExtension', 'path.extensionId', extensionOf, 'assignment:read'),
  createAssignmentContact: { references: { 'path.id': 'boughtAssignment' }, conflict: archived },
  listAssignmentContacts: { references: { 'path.id': ['boughtAssignment', 'madeAssignment'] } },
  getAssignmentContact: contact('assignment:read'),
  patchAssignmentContact: { ...contact('assignment:manage'), conflict: archived },
  deleteAssignmentContact: { ...contact('assignment:manage'), conflict: archived },
  createBillingDetails: {
    references: { 'path.id': 'boughtAssignment', ...BILLING_REFERENCES },
    conflict: archived,
  },
  listBillingDetails: { references: { 'path.id': ['boughtAssignment', 'madeAssignment'] } },
  getBillingDetails: billingDetails('assignment:read'),
  patchBillingDetails: { ...billingDetails('assignment:manage'), conflict: archived },
  deleteBillingDetails: { ...billingDetails('assignment:manage'), conflict: archived },
}
