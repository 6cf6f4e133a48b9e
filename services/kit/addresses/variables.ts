import { Type } from '@sinclair/typebox'

/** For services that send requests to addresses that others gave them. */
export const addressVariables = {
  ALLOW_PRIVATE_ADDRESSES: Type.Boolean({
    default: false,
    description: 'For local work: webhooks and imports may lead to private addresses, and over plain HTTP.',
  }),
}
