import { assemble, createKit, type Service, type ServiceConfig } from '../kit/service/service.ts'

/** Webhook endpoints and deliveries. */
export async function createWebhooks(
  config: ServiceConfig,
  options?: Parameters<typeof createKit>[2],
): Promise<Service> {
  const kit = await createKit('webhooks', config, options)
  return assemble('webhooks', kit, { features: [] })
}
