import type { ServiceName } from '../../../proto/services.ts'

/** The Postgres role with which a service signs in. */
export const roleOf = (service: ServiceName) => `marketplace_${service}`
