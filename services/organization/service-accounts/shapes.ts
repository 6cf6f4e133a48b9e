import type { FieldError } from '../../../proto/errors.ts'
import type { ServiceAccountKeyInput } from '../../../proto/http/organization/service-accounts.ts'
import { canonicalNetwork } from '../../kit/addresses/networks.ts'

/** The address by which lists of users show an account. It is unique, because the id is. */
export const emailOf = (userId: string, publicUrl: string): string =>
  `${userId.toLowerCase()}@service-accounts.${new URL(publicUrl).hostname}`

/** The entries of `networks` that are neither an address nor a network. */
export const networkProblems = ({ networks = [] }: ServiceAccountKeyInput): FieldError[] =>
  networks.flatMap((network, index) =>
    canonicalNetwork(network) === undefined
      ? [{ field: `networks.${index}`, message: 'must be an address or a network, such as 203.0.113.0/24' }]
      : [],
  )

/** The networks in canonical form, each once. */
export const distinctNetworks = (networks: readonly string[]): string[] => [
  ...new Set(networks.flatMap((network) => canonicalNetwork(network) ?? [])),
]
