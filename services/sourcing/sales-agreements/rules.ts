import { type FieldError, problem } from '../../../proto/errors.ts'
import {
  MAX_AGREEMENTS,
  MAX_REPETITIONS,
  REPETITION_DAYS,
  type SalesAgreement,
  type SalesAgreementInput,
} from '../../../proto/http/sourcing/sales-agreements.ts'
import { noSuch } from '../../../proto/messages.ts'
import type { Permission } from '../../../proto/permissions.ts'
import type { SALES_AGREEMENT } from '../../../proto/states/sales-agreements.ts'
import type { Guards } from '../../../proto/states/state-table.ts'

/** The permission of each role in an agreement. */
const PERMISSIONS = { manufacturer: 'order:confirm', seller: 'app:seller' } as const satisfies Record<
  string,
  Permission
>

type Parties = Pick<SalesAgreement, 'manufacturerOrgId' | 'sellerOrgId'>

/** The permission that an organization of an agreement needs; undefined for another organization. */
export function permissionOf({ manufacturerOrgId, sellerOrgId }: Parties, orgId: string): Permission | undefined {
  if (orgId === manufacturerOrgId) return PERMISSIONS.manufacturer
  return orgId === sellerOrgId ? PERMISSIONS.seller : undefined
}

/** Problems of a new agreement that its schema cannot express. */
export const partyProblems = ({ manufacturerOrgId, sellerOrgId }: SalesAgreementInput): FieldError[] =>
  manufacturerOrgId === sellerOrgId
    ? [
        problem(
          'sellerOrgId',
          'must differ from manufacturerOrgId: a manufacturer sells its own parts without agreement',
        ),
      ]
    : []

interface Roles {
  manufactures: boolean
  sells: boolean
}

/** An organization without the role is refused like an unknown one. */
export function roleProblems(
  { manufacturerOrgId, sellerOrgId }: Parties,
  { manufactures, sells }: Roles,
): FieldError[] {
  return [
    ...(manufactures ? [] : [problem('manufacturerOrgId', noSuch('manufacturer', manufacturerOrgId))]),
    ...(sells ? [] : [problem('sellerOrgId', noSuch('seller', sellerOrgId))]),
  ]
}

export const notAParty = (orgId: string): FieldError =>
  problem('manufacturerOrgId', `or sellerOrgId must be your organization, ${orgId}`)

/** The live agreements that an organization has proposed, and how often it has recently proposed the same one. */
export const hasRoom = ({ live, repeated }: { live: number; repeated: number }): boolean =>
  live < MAX_AGREEMENTS && repeated < MAX_REPETITIONS

export const TOO_MANY = `An organization has at most ${MAX_AGREEMENTS} live agreements that it proposed, and proposes one to the same organization at most ${MAX_REPETITIONS} times in ${REPETITION_DAYS} days.`

/** The guards of the state table. */
export const GUARDS = {
  otherRoleIsHeld: ({ manufactures, sells }: Roles) => {
    if (!manufactures) return 'The organization is no longer a manufacturer.'
    return sells ? undefined : 'The organization is no longer a seller.'
  },
} satisfies Guards<typeof SALES_AGREEMENT.verbs, 'accept', Roles>
