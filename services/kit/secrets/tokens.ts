/** A secret of 256 random bits for a link or a token, and the hash that is stored. */
export function newSecretToken(): { token: string; hash: Uint8Array } {
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
  return { token, hash: hashOf(token) }
}

export const hashOf = (text: string): Uint8Array => new Bun.CryptoHasher('sha256').update(text).digest()
