import { assemble, createKit, type KitOptions, type Service, type ServiceConfig } from '../kit/service/service.ts'
import { followProcesses } from './parts/consumer.ts'
import { partRoutes } from './parts/routes.ts'

/** Parts, and what becomes of them: RFQs, offers, orders, factories. */
export async function createSourcing(config: ServiceConfig, options?: KitOptions): Promise<Service> {
  const kit = await createKit('sourcing', config, options)
  const { http, sql, clock, bus } = kit
  return assemble('sourcing', kit, { features: [partRoutes({ http, sql, clock })], workers: [followProcesses(bus)] })
}
