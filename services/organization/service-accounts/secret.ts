import { hashOf } from '../../kit/secrets/tokens.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'mkt_'
/** Digits of base 62 for 256 bits. */
const RANDOM_LENGTH = 43
/** Digits of base 62 for 32 bits. */
const CHECKSUM_LENGTH = 6
const SHOWN_LENGTH = PREFIX.length + 4

interface ClientSecret {
  secret: string
  hash: Uint8Array
  /** The beginning, by which people tell secrets apart. */
  shown: string
}

/** A secret of 256 random bits, in a form that scanners of source code recognise. */
export function newClientSecret(): ClientSecret {
  const secret = clientSecretOf(crypto.getRandomValues(new Uint8Array(32)))
  return { secret, hash: hashOf(secret), shown: secret.slice(0, SHOWN_LENGTH) }
}

/** Writes 32 bytes as a prefix, 43 digits of base 62, and the CRC-32 of these digits, which scanners check. */
export function clientSecretOf(bytes: Uint8Array): string {
  const random = inBase62(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), RANDOM_LENGTH)
  return `${PREFIX}${random}${inBase62(BigInt(Bun.hash.crc32(random)), CHECKSUM_LENGTH)}`
}

function inBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; rest > 0n; rest /= 62n) text = `${DIGITS[Number(rest % 62n)]}${text}`
  return text.padStart(length, '0')
}
