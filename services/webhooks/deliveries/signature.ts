const PREFIX = 'whsec_'

/** The signature of a message as in Standard Webhooks: HMAC-SHA-256 of `id.timestamp.body`, in base64. */
export function signatureOf(secret: string, message: { id: string; timestamp: number; body: string }): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64')
  const hasher = new Bun.CryptoHasher('sha256', key)
  return `v1,${hasher.update(`${message.id}.${message.timestamp}.${message.body}`).digest('base64')}`
}
