import { Type } from '@sinclair/typebox'
import { Id, OrgId } from './shapes.ts'

const PauseData = Type.Object(
  { endpointId: Id('wh', 'The endpoint.'), orgId: OrgId('Its organization.') },
  { description: 'The marketplace paused a webhook endpoint, because its deliveries failed for three days.' },
)

/** Domain events of the service of webhooks. The types that endpoints subscribe to are in `webhook-events.ts`. */
export const WEBHOOKS_EVENTS = { 'webhooks.endpoint.paused': PauseData }
