import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

/**
 * The SCRAM-SHA-256 verifier of a password (RFC 5802), as Postgres stores it. The server receives no password, so none
 * reaches its log when a statement fails.
 */
export function scramVerifier(password: string, iterations: number): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${keyOf('Server Key').toString('base64')}`
}
