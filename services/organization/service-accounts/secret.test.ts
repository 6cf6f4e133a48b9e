import { expect, test } from 'bun:test'
import { clientSecretOf, newClientSecret } from './secret.ts'

/** The form that SECURITY.md documents for scanners of source code. */
const FORM = /^mkt_[0-9A-Za-z]{49}$/

/** The texts were computed by a program of its own, in Python with `zlib.crc32`. */
test.each([
  [new Uint8Array(32), 'mkt_00000000000000000000000000000000000000000002CZclj'],
  [new Uint8Array(32).fill(255), 'mkt_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13sRzl1'],
  [Uint8Array.from({ length: 32 }, (_, at) => at), 'mkt_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1Yo7hP'],
])('the text of 32 bytes ends with its checksum', (bytes, text) => {
  expect(clientSecretOf(bytes)).toBe(text)
})

test('every secret has the documented form, and shows eight characters', () => {
  const secrets = Array.from({ length: 200 }, () => newClientSecret())
  for (const { secret, shown } of secrets) {
    expect(secret).toMatch(FORM)
    expect(shown).toBe(secret.slice(0, 8))
  }
  expect(new Set(secrets.map(({ secret }) => secret)).size).toBe(200)
})
