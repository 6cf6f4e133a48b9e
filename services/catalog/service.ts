import { assemble, createKit, type KitOptions, type Service, type ServiceConfig } from '../kit/service/service.ts'
import { categoryRoutes } from './categories/routes.ts'
import { criticalityRoutes } from './criticalities/routes.ts'
import { materialRoutes } from './materials/routes.ts'
import { CatalogRegistry } from './memory/registry.ts'
import { retryLoads, subscribeToImports } from './memory/reload.ts'
import { processRoutes } from './processes/routes.ts'
import { standardRoutes } from './standards/routes.ts'
import { technologyRoutes } from './technologies/routes.ts'
import { unspscCategoryRoutes } from './unspsc-categories/routes.ts'

/** The catalog service: seven reference catalogs, served from memory. */
export async function createCatalog(config: ServiceConfig, options?: KitOptions): Promise<Service> {
  const kit = await createKit('catalog', config, options)
  const { http, sql, bus, log } = kit
  const registry = new CatalogRegistry(sql)
  const deps = { http, stores: registry.stores }
  return assemble('catalog', kit, {
    features: [
      categoryRoutes(deps),
      criticalityRoutes(deps),
      materialRoutes(deps),
      processRoutes(deps),
      standardRoutes(deps),
      technologyRoutes(deps),
      unspscCategoryRoutes(deps),
    ],
    workers: [retryLoads(registry, log)],
    start: () => subscribeToImports(bus, registry),
  })
}
