import type { RegistrationInput } from '../../../proto/http/organization/registrations.ts'
import type { OrgRole } from '../../../proto/permissions.ts'

/**
 * Small Cyrillic and Greek letters and digits, each before the Latin letter that it, or its capital, looks like. From
 * the confusable characters of Unicode Technical Standard 39.
 */
const CONFUSABLES = 'аaвbсcԁdеeгrһhіiјjкkӏlмmнhоoрpԛqѕsтtуyѵvԝwхxαaβbεeζzηhιiκkμmνvοoρpτtυyχx0o1l5s'
const letters = Array.from(CONFUSABLES)
export const LOOK_ALIKES = letters.filter((_, index) => index % 2 === 0).join('')
export const LOOKED_AT = letters.filter((_, index) => index % 2 === 1).join('')

export type RegistrationMode = 'approval' | 'open'

/** Roles that only the operator gives. */
const OF_OPERATOR: readonly OrgRole[] = ['SELLER', 'DISTRIBUTOR']

/**
 * Whether a confirmed registration needs no decision. One that both buys and makes parts needs one, because it could
 * rig its awards.
 */
export const isAdmitted = (mode: RegistrationMode, roles: readonly OrgRole[]): boolean =>
  mode === 'open' &&
  !roles.some((role) => OF_OPERATOR.includes(role)) &&
  !(roles.includes('CONSUMER') && roles.includes('MANUFACTURER'))

/** What a registration asks for, as the operator may have changed it. */
export function organizationOf(
  { organization, user }: RegistrationInput,
  { roles = organization.roles, name = organization.name }: { roles?: OrgRole[]; name?: string } = {},
) {
  return { ...organization, name, roles, administrator: user }
}
