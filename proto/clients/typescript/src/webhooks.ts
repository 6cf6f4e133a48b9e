import { Webhook } from 'standardwebhooks'
import type { webhooks } from './generated/openapi.ts'

type Deliveries = {
  [Type in keyof webhooks]: webhooks[Type]['post']['requestBody']['content']['application/json']
}
/** An event of a webhook endpoint; its `type` tells the shape of its `data`. */
export type WebhookEvent = Deliveries[keyof Deliveries]

/**
 * The event of a delivery whose signature is right and whose time is within five minutes. The body is the text or the
 * bytes as received: a parsed and printed body has another signature. Throws `WebhookVerificationError` otherwise.
 */
export function verifyWebhook(
  secret: string,
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  body: string | Uint8Array,
): WebhookEvent {
  const entries: [string, unknown][] = headers instanceof Headers ? [...headers] : Object.entries(headers)
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  return new Webhook(secret).verify(
    text,
    Object.fromEntries(entries.map(([name, value]) => [name, String(value)])),
  ) as WebhookEvent
}

export { WebhookVerificationError } from 'standardwebhooks'
