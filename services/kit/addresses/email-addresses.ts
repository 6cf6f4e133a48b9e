import { type FieldError, problem } from '../../../proto/errors.ts'
import { EMAIL_MAX_CHARACTERS, EMAIL_PATTERN } from '../../../proto/http/organization/users.ts'
import { emailSpelling } from './email-spelling.ts'

const EMAIL_ADDRESS = new RegExp(EMAIL_PATTERN)
/** The domain by which lists of users tell service accounts from people. */
const OF_SERVICE_ACCOUNT = /@service-accounts\./i

/**
 * The address as it is stored. Undefined if this spelling is not a valid address, because it has a second @ or an angle
 * bracket, or is too long.
 */
export function emailAddressOf(email: string): string | undefined {
  const address = emailSpelling(email)
  if (OF_SERVICE_ACCOUNT.test(address)) return undefined
  return EMAIL_ADDRESS.test(address) && Array.from(address).length <= EMAIL_MAX_CHARACTERS ? address : undefined
}

/** Problems of the field of an e-mail address, whose schema knows no spellings. */
export const emailProblems = (email: string | undefined, field: string): FieldError[] =>
  email === undefined || emailAddressOf(email) !== undefined ? [] : [problem(field, 'is not an e-mail address')]
