import { Elysia } from 'elysia'
import * as ofContacts from '../../../proto/http/sourcing/assignment-contacts.ts'
import * as operations from '../../../proto/http/sourcing/assignments.ts'
import * as ofBilling from '../../../proto/http/sourcing/billing-details.ts'
import { documentOf } from '../../kit/db/json-text.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { addressProblems } from '../regions/regions.ts'
import { subrecordReads } from '../subrecords/routes.ts'
import { billingDetails } from './billing-details/billing-details.ts'
import { moveAssignment } from './commands.ts'
import { contacts } from './contacts/contacts.ts'
import { createExtension } from './extensions/extensions.ts'
import { listAssignments } from './list-queries.ts'
import { findAssignment } from './queries.ts'

export const assignmentRoutes = ({ http, pagination }: RouteKit) => {
  const subrecords = subrecordReads({ http, pagination }, findAssignment)
  return new Elysia({ name: 'sourcing.assignments' })
    .use(
      http.route(operations.listAssignments, (context) => pagination.ofCaller(context, 'assignments', listAssignments)),
    )
    .use(
      http.route(operations.getAssignment, async ({ caller, params, read }) =>
        documentOf(await read((sql) => findAssignment(sql, caller.orgId, params.id))),
      ),
    )
    .use(http.command(operations.archiveAssignment, (call) => moveAssignment('archive', call)))
    .use(http.command(operations.unarchiveAssignment, (call) => moveAssignment('unarchive', call)))
    .use(subrecords('extension', { list: operations.listAssignmentExtensions, get: operations.getAssignmentExtension }))
    .use(http.command(operations.createAssignmentExtension, createExtension))
    .use(subrecords('contact', { list: ofContacts.listAssignmentContacts, get: ofContacts.getAssignmentContact }))
    .use(http.command(ofContacts.createAssignmentContact, contacts.create))
    .use(http.command(ofContacts.patchAssignmentContact, contacts.patch))
    .use(http.command(ofContacts.deleteAssignmentContact, contacts.delete))
    .use(subrecords('billing', { list: ofBilling.listBillingDetails, get: ofBilling.getBillingDetails }))
    .use(http.command(ofBilling.createBillingDetails, billingDetails.create, { checkBody: addressProblems }))
    .use(http.command(ofBilling.patchBillingDetails, billingDetails.patch, { checkBody: addressProblems }))
    .use(http.command(ofBilling.deleteBillingDetails, billingDetails.delete))
}
