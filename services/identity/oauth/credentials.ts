import { invalidField, refuse } from '../../kit/errors/refusal.ts'

/** The client id and secret of a request. */
export interface ClientCredentials {
  clientId: string
  secret: string
}

interface ClientFields {
  client_id?: string | undefined
  client_secret?: string | undefined
}

const MAX_HEADER_CHARACTERS = 2048
const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/i

/**
 * The client authentication of a request (RFC 6749, section 2.3): by Basic, or by id and secret in the form, never
 * both. Undefined for a request without one; a client id alone is that of a public client, which is not registered
 * here.
 */
export function credentialsOf({ headers }: Request, body: ClientFields): ClientCredentials | undefined {
  const header = headers.get('authorization')
  const { client_id: clientId, client_secret: secret } = body
  if (header === null) {
    if (secret === undefined) return undefined
    if (clientId === undefined) throw invalidField('client_id', 'is required beside client_secret')
    return { clientId, secret }
  }
  if (secret !== undefined) throw invalidField('client_secret', 'must not be sent beside an Authorization header')
  const basic = basicCredentials(header)
  if (clientId !== undefined && clientId !== basic.clientId) {
    throw invalidField('client_id', 'differs from the one in the Authorization header')
  }
  return basic
}

/** Id and secret are form-encoded before they are encoded for Basic. */
function basicCredentials(header: string): ClientCredentials {
  const encoded = header.length <= MAX_HEADER_CHARACTERS ? BASIC.exec(header)?.[1] : undefined
  const pair = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString()
  const colon = pair.indexOf(':')
  const clientId = colon === -1 ? undefined : formDecoded(pair.slice(0, colon))
  const secret = colon === -1 ? undefined : formDecoded(pair.slice(colon + 1))
  if (clientId === undefined || secret === undefined) throw unreadable()
  return { clientId, secret }
}

const unreadable = () =>
  refuse('invalid_client', { detail: 'Send the client id and secret as `Authorization: Basic` or in the form.' })

/** Undefined for invalid percent-encoding and for NUL, which no column can store. */
function formDecoded(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text.replaceAll('+', ' '))
    return value.includes('\0') ? undefined : value
  } catch {
    return undefined
  }
}
