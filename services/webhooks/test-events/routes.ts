import { Elysia } from 'elysia'
import { testWebhookEndpoint } from '../../../proto/http/webhooks/endpoint-flows.ts'
import type { Http } from '../../kit/http/http.ts'
import { testEndpoint } from './commands.ts'

export const testEventRoutes = ({ http }: { http: Http }) =>
  new Elysia({ name: 'webhooks.test-events' }).use(http.command(testWebhookEndpoint, testEndpoint))
