import { createSecretBox } from '../kit/secrets/box.ts'
import { assemble, createKit, type KitOptions, type Service } from '../kit/service/service.ts'
import type { WebhooksConfig } from './config.ts'
import { endpointRoutes } from './endpoints/routes.ts'

/** Webhook endpoints; later their deliveries. */
export async function createWebhooks(config: WebhooksConfig, options?: KitOptions): Promise<Service> {
  const kit = await createKit('webhooks', config, options)
  const { http, sql, clock } = kit
  const box = await createSecretBox(config.ENCRYPTION_KEYS)
  const addresses = { allowPrivate: config.ALLOW_PRIVATE_ADDRESSES }
  return assemble('webhooks', kit, { features: [endpointRoutes({ http, sql, clock, box, addresses })] })
}
