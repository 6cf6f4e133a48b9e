import { Type } from '@sinclair/typebox'

/** For services that send requests to URLs that users supply. */
export const addressVariables = {
  ALLOW_PRIVATE_ADDRESSES: Type.Boolean({
    default: false,
    description:
      'For local development: allows private addresses and plain HTTP for webhooks, imports and identity providers.',
  }),
}
