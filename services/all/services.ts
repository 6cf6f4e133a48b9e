import { ownerOf } from '../../proto/paths.ts'
import { createCatalog } from '../catalog/service.ts'
import { createIdentity } from '../identity/service.ts'
import type { ServiceName } from '../kit/migrate/files.ts'
import type { KitOptions, Service } from '../kit/service/service.ts'
import { createOrganizationService } from '../organization/service.ts'
import { createSourcing } from '../sourcing/service.ts'
import { createWebhooks } from '../webhooks/service.ts'
import { type AllConfig, configOf } from './config.ts'

/** All five services in one process: the same code path, five pools, five roles. */
export async function createAll(config: AllConfig, options?: KitOptions): Promise<Record<ServiceName, Service>> {
  const [identity, catalog, sourcing, organization, webhooks] = await Promise.all([
    createIdentity(configOf(config, 'identity'), options),
    createCatalog(configOf(config, 'catalog'), options),
    createSourcing(configOf(config, 'sourcing'), options),
    createOrganizationService(configOf(config, 'organization'), options),
    createWebhooks(configOf(config, 'webhooks'), options),
  ])
  return { identity, catalog, sourcing, organization, webhooks }
}

/** What the ingress does, in one process. */
export const routeAmong = (services: Record<ServiceName, Service>) => (path: string) => services[ownerOf(path)]
