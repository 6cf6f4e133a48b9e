const SECRET_BYTES = 32

/** A new secret in the form of Standard Webhooks. */
export const newWebhookSecret = () =>
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64')}`
