import { domainToASCII, domainToUnicode } from 'node:url'

/** A text with one of these is no domain, and would be read as a part of a URL. */
const NO_DOMAIN = /[/?#\\:%[\]]/

/** A longer text is no address in any spelling. Normalisation takes time that grows with the square of the length. */
const MAX_CHARACTERS = 1000

/** The letters that are lower-cased alike everywhere. */
const ASCII = /^\p{ASCII}*$/u

/**
 * An e-mail address in the one spelling in which addresses are stored and compared: NFKC, and the domain in Unicode, so
 * that composed and full-width letters, and the two forms of an international domain, are the same.
 */
export function emailSpelling(email: string): string {
  if (email.length > MAX_CHARACTERS) return email
  const address = email.normalize('NFKC')
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  const ascii = at < 0 || NO_DOMAIN.test(domain) ? '' : domainToASCII(domain)
  const spelled = ascii && domainToUnicode(ascii)
  const isSpelled = ASCII.test(domain) && spelled === domain.toLowerCase()
  return !spelled || isSpelled ? address : `${address.slice(0, at)}@${spelled}`
}
