import { expect, test } from 'bun:test'
import { OPERATIONS } from '../../proto/http/operations.ts'

const OPERATIONS_OF_WEBHOOKS = [
  'DELETE /v2.3/webhooks/endpoints/{webhookId}',
  'GET /flows/v1/webhooks/deliveries',
  'GET /flows/v1/webhooks/deliveries/{id}',
  'GET /flows/v1/webhooks/deliveries/{id}/attempts',
  'GET /flows/v1/webhooks/endpoints/{id}',
  'GET /v2.3/webhooks/endpoints',
  'GET /v2.3/webhooks/endpoints/{webhookId}',
  'PATCH /v2.3/webhooks/endpoints/{webhookId}',
  'POST /flows/v1/webhooks/deliveries/{id}/retry',
  'POST /flows/v1/webhooks/endpoints/{id}/replay',
  'POST /flows/v1/webhooks/endpoints/{id}/rotate-secret',
  'POST /flows/v1/webhooks/endpoints/{id}/test',
  'POST /v2.3/webhooks/endpoints',
]

test('each operation needs webhook:manage', () => {
  const access = OPERATIONS.webhooks.map(({ method, path, access }) => `${method} ${path} ${access}`)
  expect(access.sort()).toEqual(OPERATIONS_OF_WEBHOOKS.map((operation) => `${operation} webhook:manage`))
})
