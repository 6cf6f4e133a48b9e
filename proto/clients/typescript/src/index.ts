export { createMarketplace, ifMatch, type Marketplace, type PagedPath } from './client.ts'
export {
  accessToken,
  type Credentials,
  password,
  type RefreshTokenStore,
  refreshToken,
  serviceAccount,
  type Tokens,
} from './credentials.ts'
export { ApiError, NetworkError } from './errors.ts'
export type * from './generated/openapi.ts'
export type { TransportOptions } from './transport.ts'
export { verifyWebhook, type WebhookEvent, WebhookVerificationError } from './webhooks.ts'
