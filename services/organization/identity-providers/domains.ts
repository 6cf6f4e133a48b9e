import { domainToASCII } from 'node:url'
import { emailSpelling } from '../../kit/addresses/email-spelling.ts'

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
const RECORD_LABEL = '_marketplace-challenge'

/** The domain in the spelling of stored addresses. Undefined for another text. */
export function domainOf(text: string): string | undefined {
  const spelled = emailSpelling(`x@${text.toLowerCase()}`).slice(2).toLowerCase()
  const labels = domainToASCII(spelled).split('.')
  const isDomain = labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
  return isDomain && spelled.length <= 253 ? spelled : undefined
}

/** The domain of a stored address. */
export const domainOfEmail = (email: string) => email.slice(email.lastIndexOf('@') + 1).toLowerCase()

/** The name and the value of the record that proves a domain. */
export const recordNameOf = (domain: string) => `${RECORD_LABEL}.${domainToASCII(domain)}`
export const recordValueOf = (proof: string) => `marketplace-domain=${proof}`
