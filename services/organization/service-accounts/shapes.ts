import type { FieldError } from '../../../proto/errors.ts'
import type {
  DerivedKey,
  LastingAct,
  ServiceAccount,
  ServiceAccountKey,
  ServiceAccountKeyInput,
} from '../../../proto/http/organization/service-accounts.ts'
import { canonicalNetwork } from '../../kit/addresses/networks.ts'
import type { AccountRow, ActRow, DerivedKeyRow, KeyRow } from './queries.ts'

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

export const accountOf = (row: AccountRow): ServiceAccount => ({
  id: row.id,
  email: row.email,
  name: row.name,
  ...(row.description === null ? {} : { description: row.description }),
  active: row.active,
  createdTime: row.created_at,
  updatedTime: row.updated_at,
})

export const keyOf = (row: KeyRow): ServiceAccountKey => ({
  clientId: row.id,
  secretPrefix: row.secret_prefix,
  ...(row.description === null ? {} : { description: row.description }),
  networks: row.networks,
  createdBy: row.created_by,
  createdTime: row.created_at,
  ...(row.expires_at === null ? {} : { expireTime: row.expires_at }),
  ...(row.revoked_at === null ? {} : { revokedTime: row.revoked_at }),
  ...(row.last_used_at === null ? {} : { lastUsedTime: row.last_used_at }),
  ...(row.ip_address === null ? {} : { lastUsedAddress: row.ip_address }),
})

export const derivedKeyOf = (row: DerivedKeyRow): DerivedKey => ({
  clientId: row.id,
  serviceAccountId: row.user_id,
  createdBy: row.created_by,
  createdTime: row.created_at,
  ...(row.revoked_at === null ? {} : { revokedTime: row.revoked_at }),
})

export const actOf = ({ procedure, subject_id: subjectId, actor_id: actorId, time }: ActRow): LastingAct => ({
  procedure,
  ...(subjectId === null ? {} : { subjectId }),
  actorId,
  time,
})
