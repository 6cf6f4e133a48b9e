import { ownerOf } from '../../proto/paths.ts'
import { SERVICES, type ServiceName } from '../../proto/services.ts'
import { createCatalog } from '../catalog/service.ts'
import { createIdentity } from '../identity/service.ts'
import type { KitOptions, Service } from '../kit/service/service.ts'
import { createOrganizationService } from '../organization/service.ts'
import { createSourcing } from '../sourcing/service.ts'
import { createWebhooks } from '../webhooks/service.ts'
import { type AllConfig, configOf } from './config.ts'

type Create = (config: AllConfig, options?: KitOptions) => Promise<Service>

const CREATE: Record<ServiceName, Create> = {
  identity: (config, options) => createIdentity(configOf(config, 'identity'), options),
  catalog: (config, options) => createCatalog(configOf(config, 'catalog'), options),
  sourcing: (config, options) => createSourcing(configOf(config, 'sourcing'), options),
  organization: (config, options) => createOrganizationService(configOf(config, 'organization'), options),
  webhooks: (config, options) => createWebhooks(configOf(config, 'webhooks'), options),
}

/** Several services in one process, each with its own pool and role. */
export async function createServices<S extends ServiceName>(
  names: readonly S[],
  config: AllConfig,
  options?: KitOptions,
): Promise<Record<S, Service>> {
  const created = await Promise.all(names.map(async (name) => [name, await CREATE[name](config, options)] as const))
  return Object.fromEntries(created) as Record<S, Service>
}

/** All five services in one process. */
export const createAll = (config: AllConfig, options?: KitOptions) => createServices(SERVICES, config, options)

/** Routes a path to its service, like the ingress. */
export const ownerAmong = (services: Record<ServiceName, Service>) => (path: string) => services[ownerOf(path)]
