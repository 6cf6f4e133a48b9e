import { assemble, createKit, type KitOptions, type Service } from '../kit/service/service.ts'
import type { CatalogConfig } from './config.ts'
import { CatalogRegistry } from './memory/registry.ts'
import { retryLoads, subscribeToImports } from './memory/reload.ts'
import { catalogRoutes } from './routes.ts'

/** The catalog service: seven reference catalogs, served from memory. */
export async function createCatalog(config: CatalogConfig, options?: KitOptions): Promise<Service> {
  const kit = await createKit('catalog', config, { ...options, acceptsKnownTokens: true })
  const { http, sql, bus, log } = kit
  const registry = new CatalogRegistry(sql)
  return assemble('catalog', kit, {
    features: [catalogRoutes({ http, stores: registry.stores })],
    workers: [retryLoads(registry, log)],
    start: () => subscribeToImports(bus, registry),
  })
}
