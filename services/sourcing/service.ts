import { assemble, createKit, type KitOptions, type Service, type ServiceConfig } from '../kit/service/service.ts'
import { partRoutes } from './parts/routes.ts'

/** Parts, and what becomes of them: RFQs, offers, orders, factories. */
export async function createSourcing(config: ServiceConfig, options?: KitOptions): Promise<Service> {
  const kit = await createKit('sourcing', config, options)
  const { http, sql, clock } = kit
  return assemble('sourcing', kit, { features: [partRoutes({ http, sql, clock })] })
}
