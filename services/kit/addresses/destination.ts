import { isIP } from 'node:net'
import { isPublicAddress, isPublicName } from './public-address.ts'

export interface AddressPolicy {
  /** For local development: private addresses and plain HTTP are allowed. */
  allowPrivate: boolean
}

const MAX_URL_CHARACTERS = 2048

/** The target of a request. */
export interface Destination {
  url: URL
  /** Without brackets and without a trailing dot. */
  host: string
  /** The address, if the URL contains one instead of a name. */
  literal: string | undefined
}

/** Parses a URL, or returns its problem. Names are resolved only when a request is sent. */
export function destinationOf(text: string, { allowPrivate }: AddressPolicy): Destination | { problem: string } {
  if (text.length > MAX_URL_CHARACTERS) return { problem: `must have at most ${MAX_URL_CHARACTERS} characters` }
  const url = URL.parse(text)
  if (url === null) return { problem: 'must be a URL' }
  if (/\s/.test(text)) return { problem: 'must not contain spaces' }
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return { problem: 'must be https' }
  if (url.username !== '' || url.password !== '') return { problem: 'must not contain credentials' }
  if (url.port === '0') return { problem: 'must have a port from 1 to 65535' }
  if (text.includes('#')) return { problem: 'must not have a fragment' }
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')
  if (host === '') return { problem: 'must have a host' }
  const literal = isIP(host) === 0 ? undefined : host
  const isAllowed = allowPrivate || (literal === undefined ? isPublicName(host) : isPublicAddress(literal))
  if (!isAllowed) return { problem: 'must have a public address' }
  return { url, host, literal }
}
