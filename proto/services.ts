/** The services of the marketplace. Each has a schema, a Postgres role and a process of its own. */
export const SERVICES = ['organization', 'identity', 'catalog', 'sourcing', 'webhooks'] as const
export type ServiceName = (typeof SERVICES)[number]
