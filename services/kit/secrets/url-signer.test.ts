import { expect, test } from 'bun:test'
import { UrlSigner } from './url-signer.ts'

const signer = new UrlSigner(`a:${Buffer.alloc(32, 7).toString('base64')}`)
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

test('a signature verifies only in its exact spelling', () => {
  const grant = { method: 'PUT', key: 'upload_1', expires: 1_800_000_000 } as const
  const signature = signer.sign(grant)
  const changed = [...ALPHABET].map((last) => signature.slice(0, -1) + last)
  expect(changed.filter((other) => signer.verify(grant, other))).toEqual([signature])
  for (const longer of [`${signature}=`, `${signature} `, `${signature}\n`, `${signature}*`]) {
    expect(signer.verify(grant, longer)).toBe(false)
  }
})
