import type {
  CreatedServiceAccountKey,
  ServiceAccount,
  ServiceAccountInput,
  ServiceAccountKeyInput,
} from '../../proto/http/organization/service-accounts.ts'
import { type ApiAnswer, ApiClient } from './client.ts'

export const ACCOUNTS = '/flows/v1/service-accounts'
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export interface OAuthAnswer {
  access_token: string
  token_type: string
  expires_in: number
  refresh_token?: string
  scope?: string
  error?: string
  error_description?: string
}

export interface ClientKey {
  clientId: string
  clientSecret: string
}

/** Creates a service account over HTTP. */
export async function createdAccount(
  admin: ApiClient,
  body: Partial<ServiceAccountInput> = {},
): Promise<ServiceAccount> {
  const answer = await admin.post<ServiceAccount>(ACCOUNTS, { name: 'ERP connector', ...body })
  if (answer.status !== 201) throw new Error(`a service account could not be created: ${answer.text}`)
  return answer.body
}

/** Creates a key over HTTP. */
export async function createdKey(
  admin: ApiClient,
  accountId: string,
  body: ServiceAccountKeyInput = {},
): Promise<CreatedServiceAccountKey> {
  const answer = await admin.post<CreatedServiceAccountKey>(`${ACCOUNTS}/${accountId}/keys`, body)
  if (answer.status !== 201) throw new Error(`a key could not be created: ${answer.text}`)
  return answer.body
}

export const basic = ({ clientId, clientSecret }: ClientKey) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
})

/** Asks for a token with the key in the `Authorization` header. */
export const requestToken = (
  url: string,
  key: ClientKey,
  headers: Record<string, string> = {},
): Promise<ApiAnswer<OAuthAnswer>> =>
  new ApiClient(url).post<OAuthAnswer>(
    '/flows/v1/oauth/token',
    { grant_type: 'client_credentials' },
    { ...FORM, ...basic(key), ...headers },
  )

/** A client with a token of the key. */
export async function clientWith(url: string, key: ClientKey, headers?: Record<string, string>): Promise<ApiClient> {
  const { status, body, text } = await requestToken(url, key, headers)
  if (status !== 200) throw new Error(`no token for a key: ${status} ${text}`)
  return new ApiClient(url, body.access_token)
}
