import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { SERVICES, type ServiceName } from '../../proto/services.ts'
import { identityVariables } from '../identity/config.ts'
import { commonVariables, databaseVariables } from '../kit/config/variables.ts'
import { organizationProblems, organizationVariables } from '../organization/config.ts'
import { sourcingProblems, sourcingVariables } from '../sourcing/config.ts'
import { webhooksProblems, webhooksVariables } from '../webhooks/config.ts'

/** `IDENTITY_DATABASE_URL` and so on, because each service has its own role and pool. */
const databases = Object.fromEntries(
  SERVICES.flatMap((service) =>
    Object.entries(databaseVariables).map(([name, schema]) => [`${service.toUpperCase()}_${name}`, schema]),
  ),
) as Record<string, TSchema>

export const allVariables = Type.Object({
  ...databases,
  ...identityVariables.properties,
  ...organizationVariables.properties,
  ...sourcingVariables.properties,
  ...webhooksVariables.properties,
  ...commonVariables,
  ...Type.Partial(Type.Object(databaseVariables)).properties,
})

export type AllConfig = Static<typeof allVariables> & Record<string, unknown>

/** Problems that the schema cannot express. */
export const allProblems = (config: AllConfig): string[] => [
  ...organizationProblems(config),
  ...sourcingProblems(config),
  ...webhooksProblems(config),
]

/** The configuration of one service, as in its own process. */
export function configOf<C extends { DATABASE_URL: string }>(config: AllConfig, service: ServiceName): C {
  const own = Object.keys(databaseVariables).flatMap((name) => {
    const value = config[`${service.toUpperCase()}_${name}`]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...config, ...Object.fromEntries(own) } as unknown as C
}
