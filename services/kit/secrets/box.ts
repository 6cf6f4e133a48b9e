/** A stored secret cannot be read with ENCRYPTION_KEYS. */
export class WrongEncryptionKey extends Error {}

/** Encrypts stored secrets with a key that the database never sees. */
export interface SecretBox {
  encrypt(text: string): Promise<string>
  /** Throws if the key is unknown or the text was modified. */
  decrypt(encrypted: string): Promise<string>
  /** Whether the text was encrypted with the current key. */
  isCurrent(encrypted: string): boolean
}

const ALGORITHM = 'AES-GCM'
const IV_BYTES = 12

/**
 * AES-256-GCM. The text is `name.iv.ciphertext`, so that several keys can be in use during a rotation. Without keys it
 * encrypts nothing.
 */
export async function createSecretBox(encryptionKeys = ''): Promise<SecretBox> {
  const keys = new Map<string, CryptoKey>()
  for (const pair of encryptionKeys.split(',').filter((pair) => pair !== '')) {
    const [name, key] = pair.split(':') as [string, string]
    const bytes = Buffer.from(key, 'base64')
    keys.set(name, await crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['encrypt', 'decrypt']))
  }
  const [current] = keys.keys()

  return {
    async encrypt(text) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const key = keys.get(current ?? '')
      if (!key) throw new Error('This service has no encryption keys.')
      const encrypted = await crypto.subtle.encrypt({ name: ALGORITHM, iv }, key, new TextEncoder().encode(text))
      return [current, Buffer.from(iv).toString('base64url'), Buffer.from(encrypted).toString('base64url')].join('.')
    },
    async decrypt(encrypted) {
      const [name, iv, ciphertext] = encrypted.split('.') as [string, string, string]
      const key = keys.get(name)
      if (!key)
        throw new WrongEncryptionKey(`ENCRYPTION_KEYS lacks the key ${name}, with which a stored secret is encrypted.`)
      const from = (part: string) => Buffer.from(part, 'base64url')
      const decrypted = await crypto.subtle
        .decrypt({ name: ALGORITHM, iv: from(iv) }, key, from(ciphertext))
        .catch(() => {
          throw new WrongEncryptionKey(
            `The key ${name} of ENCRYPTION_KEYS is not the one with which a stored secret was encrypted.`,
          )
        })
      return new TextDecoder().decode(decrypted)
    },
    isCurrent: (encrypted) => encrypted.startsWith(`${current}.`),
  }
}
