/** The services. Each has its own database schema, Postgres role and process. */
export const SERVICES = ['organization', 'identity', 'catalog', 'sourcing', 'webhooks'] as const
export type ServiceName = (typeof SERVICES)[number]
