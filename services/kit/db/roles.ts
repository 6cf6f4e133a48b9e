import type { ServiceName } from '../../../proto/services.ts'

/** The prefix of role names, as migrations write them. */
export const ROLE_PREFIX = 'marketplace_'

/** The Postgres role with which a service signs in. */
export const roleOf = (service: ServiceName, prefix = ROLE_PREFIX) => `${prefix}${service}`
