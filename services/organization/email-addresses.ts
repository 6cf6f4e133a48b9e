import { EMAIL_MAX_CHARACTERS, EMAIL_PATTERN } from '../../proto/http/organization/users.ts'

const EMAIL_ADDRESS = new RegExp(EMAIL_PATTERN)
/** The domain by which lists of users tell service accounts from people. */
const OF_SERVICE_ACCOUNT = /@service-accounts\./i

/**
 * The NFKC form of an address, so that addresses that look the same are the same: composed and full-width letters,
 * ligatures. Undefined if this form is not a valid address, because it has a second @ or is too long.
 */
export function emailAddressOf(email: string): string | undefined {
  const address = email.normalize('NFKC')
  if (OF_SERVICE_ACCOUNT.test(address)) return undefined
  return EMAIL_ADDRESS.test(address) && Array.from(address).length <= EMAIL_MAX_CHARACTERS ? address : undefined
}
