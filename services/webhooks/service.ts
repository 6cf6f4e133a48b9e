import { assemble, createKit, type KitOptions, type Service, type ServiceConfig } from '../kit/service/service.ts'

/** Webhook endpoints and deliveries. */
export async function createWebhooks(config: ServiceConfig, options?: KitOptions): Promise<Service> {
  const kit = await createKit('webhooks', config, options)
  return assemble('webhooks', kit, { features: [] })
}
