import { CURRENCIES } from '../currencies.ts'
import { ORG_ROLES, PERMISSIONS } from '../permissions.ts'
import { CASE_STATES } from '../states/cases.ts'
import { CHANGE_REQUEST_STATES } from '../states/change-requests.ts'
import { ENDPOINT_STATUSES } from '../states/endpoints.ts'
import { OFFER_STATES } from '../states/offers.ts'
import { ORDER_STATES } from '../states/orders.ts'
import { QUESTION_STATES } from '../states/questions.ts'
import { RFQ_STATES } from '../states/rfqs.ts'
import { SALES_AGREEMENT_STATES } from '../states/sales-agreements.ts'
import { SHIPMENT_STATES } from '../states/shipments.ts'
import { SUBSCRIPTION_STATES } from '../states/subscriptions.ts'
import { WEBHOOK_EVENT_TYPES, WEBHOOK_SUBSCRIPTIONS } from '../webhook-events.ts'
import { MATERIAL_TYPES, PRODUCTION_PROCESS_TYPES } from './catalog/enums.ts'
import { ENGAGEMENTS } from './organization/orgs.ts'
import { CASE_KINDS } from './sourcing/cases.ts'
import { UNIT_SYSTEMS } from './sourcing/part-fields.ts'
import { INCOTERMS_2020 } from './sourcing/rfqs.ts'

interface Words {
  values: readonly string[]
  description: string
}

/** Lists of words that several operations use. The OpenAPI document has each once, under its name. */
export const NAMED_WORDS: Readonly<Record<string, Words>> = {
  CaseKind: { values: CASE_KINDS, description: 'Kind of a case.' },
  CaseState: { values: CASE_STATES, description: 'State of a case.' },
  ChangeRequestState: { values: CHANGE_REQUEST_STATES, description: 'State of a change request.' },
  Currency: { values: CURRENCIES, description: 'A currency of ISO 4217 in use.' },
  Engagement: { values: ENGAGEMENTS, description: 'How an organization is engaged.' },
  Incoterm: { values: INCOTERMS_2020, description: 'A delivery term of Incoterms 2020.' },
  MaterialType: { values: MATERIAL_TYPES, description: 'Family of a material.' },
  OfferState: { values: OFFER_STATES, description: 'State of an offer.' },
  OrderState: { values: ORDER_STATES, description: 'State of an order.' },
  OrgRole: { values: ORG_ROLES, description: 'Role of an organization.' },
  Permission: { values: PERMISSIONS, description: 'A permission. None implies another one.' },
  ProductionProcessType: { values: PRODUCTION_PROCESS_TYPES, description: 'Type of a production process.' },
  QuestionState: { values: QUESTION_STATES, description: 'State of a question about an RFQ.' },
  RfqState: { values: RFQ_STATES, description: 'State of an RFQ.' },
  SalesAgreementState: { values: SALES_AGREEMENT_STATES, description: 'State of a sales agreement.' },
  ShipmentState: { values: SHIPMENT_STATES, description: 'State of a shipment.' },
  SubscriptionState: { values: SUBSCRIPTION_STATES, description: 'State of a subscription.' },
  UnitSystem: { values: UNIT_SYSTEMS, description: 'Unit system of lengths.' },
  WebhookEndpointStatus: { values: ENDPOINT_STATUSES, description: 'Whether an endpoint receives deliveries.' },
  WebhookEventType: { values: WEBHOOK_EVENT_TYPES, description: 'Type of an event.' },
  WebhookSubscription: { values: WEBHOOK_SUBSCRIPTIONS, description: 'Type of an event, or `*` for several.' },
}
