import * as impersonation from '../../../proto/http/identity/impersonation.ts'
import { isClosedToImpersonations, type Operation } from '../../../proto/http/operation.ts'
import * as auditLog from '../../../proto/http/organization/audit-log.ts'
import * as identityProviders from '../../../proto/http/organization/identity-providers.ts'
import * as mailAddresses from '../../../proto/http/organization/mail-addresses.ts'
import * as notifications from '../../../proto/http/organization/notification-settings.ts'
import * as orgs from '../../../proto/http/organization/orgs.ts'
import * as registrations from '../../../proto/http/organization/registrations.ts'
import * as roles from '../../../proto/http/organization/roles.ts'
import * as serviceAccounts from '../../../proto/http/organization/service-accounts.ts'
import * as signInSettings from '../../../proto/http/organization/sign-in-settings.ts'
import * as users from '../../../proto/http/organization/users.ts'
import * as contacts from '../../../proto/http/sourcing/assignment-contacts.ts'
import * as assignments from '../../../proto/http/sourcing/assignments.ts'
import * as awards from '../../../proto/http/sourcing/awards.ts'
import * as billing from '../../../proto/http/sourcing/billing-details.ts'
import * as caseExpenses from '../../../proto/http/sourcing/case-expenses.ts'
import * as caseMessages from '../../../proto/http/sourcing/case-messages.ts'
import * as caseTasks from '../../../proto/http/sourcing/case-tasks.ts'
import * as cases from '../../../proto/http/sourcing/cases.ts'
import * as changeRequests from '../../../proto/http/sourcing/change-requests.ts'
import * as comparison from '../../../proto/http/sourcing/comparison.ts'
import * as distributorRfqs from '../../../proto/http/sourcing/distributor-rfqs.ts'
import * as documents from '../../../proto/http/sourcing/documents.ts'
import * as emailInvitations from '../../../proto/http/sourcing/email-invitations.ts'
import * as factories from '../../../proto/http/sourcing/factory-administration.ts'
import * as files from '../../../proto/http/sourcing/files.ts'
import * as imports from '../../../proto/http/sourcing/imports.ts'
import * as matches from '../../../proto/http/sourcing/matches.ts'
import * as offers from '../../../proto/http/sourcing/offer-lifecycle.ts'
import * as orders from '../../../proto/http/sourcing/order-lifecycle.ts'
import * as partImports from '../../../proto/http/sourcing/part-imports.ts'
import * as partLifecycle from '../../../proto/http/sourcing/part-lifecycle.ts'
import * as parts from '../../../proto/http/sourcing/parts.ts'
import * as confidentiality from '../../../proto/http/sourcing/rfq-confidentiality.ts'
import * as rfqs from '../../../proto/http/sourcing/rfq-lifecycle.ts'
import * as packages from '../../../proto/http/sourcing/rfq-package-lifecycle.ts'
import * as packageOffers from '../../../proto/http/sourcing/rfq-package-offers.ts'
import * as questions from '../../../proto/http/sourcing/rfq-questions.ts'
import * as salesAgreements from '../../../proto/http/sourcing/sales-agreements.ts'
import * as shipments from '../../../proto/http/sourcing/shipments.ts'
import * as subscriptions from '../../../proto/http/sourcing/subscriptions.ts'
import * as suppliers from '../../../proto/http/sourcing/suppliers.ts'
import * as uploads from '../../../proto/http/sourcing/uploads.ts'
import * as deliveries from '../../../proto/http/webhooks/deliveries.ts'
import * as endpointFlows from '../../../proto/http/webhooks/endpoint-flows.ts'
import * as endpoints from '../../../proto/http/webhooks/endpoints.ts'

/** The contract of what the console does. */
const MODULES: readonly object[] = [
  ...[impersonation, auditLog, identityProviders, mailAddresses, notifications, orgs, registrations, roles],
  ...[serviceAccounts, signInSettings, users],
  ...[cases, caseMessages, caseTasks, caseExpenses],
  ...[
    contacts,
    assignments,
    awards,
    billing,
    changeRequests,
    comparison,
    distributorRfqs,
    documents,
    emailInvitations,
    factories,
    files,
    imports,
    matches,
    offers,
    orders,
  ],
  ...[
    partImports,
    partLifecycle,
    parts,
    rfqs,
    confidentiality,
    packages,
    packageOffers,
    questions,
    salesAgreements,
    shipments,
    subscriptions,
    suppliers,
    uploads,
    deliveries,
    endpointFlows,
    endpoints,
  ],
]

const isOperation = (value: unknown): value is Operation =>
  value !== null && typeof value === 'object' && 'method' in value && 'access' in value

const operations = MODULES.flatMap((module) => Object.values(module)).filter(isOperation)
const nameOf = ({ method, path }: Operation) => `${method} ${path}`

/** The permissions of which one is needed, by operation: `POST /flows/v1/rfqs/{id}/award`. */
export const PERMISSIONS_NEEDED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  operations
    .filter(({ access }) => access !== 'public' && access !== 'token')
    .map((operation) => [nameOf(operation), [operation.access].flat()]),
)

export const CLOSED_TO_IMPERSONATIONS: readonly string[] = operations.filter(isClosedToImpersonations).map(nameOf)
