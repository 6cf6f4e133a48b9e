import type {
  CreatedServiceAccountKey,
  ServiceAccount,
  ServiceAccountInput,
  ServiceAccountKeyInput,
} from '../../proto/http/organization/service-accounts.ts'
import { type ApiAnswer, ApiClient, succeeded } from './client.ts'

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
  return succeeded(admin.post<ServiceAccount>(ACCOUNTS, { name: 'ERP connector', ...body }))
}

/** Creates a key over HTTP. */
export async function createdKey(
  admin: ApiClient,
  accountId: string,
  body: ServiceAccountKeyInput = {},
): Promise<CreatedServiceAccountKey> {
  return succeeded(admin.post<CreatedServiceAccountKey>(`${ACCOUNTS}/${accountId}/keys`, body))
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
  const body = await succeeded(requestToken(url, key, headers))
  return new ApiClient(url, body.access_token)
}
