import { expect, test } from 'bun:test'
import { AddressSigner } from './addresses.ts'

const signer = new AddressSigner(`a:${Buffer.alloc(32, 7).toString('base64')}`)
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

test('a signature is that text alone, and no other spelling of its bytes', () => {
  const grant = { method: 'PUT', key: 'upload_1', expires: 1_800_000_000 } as const
  const signature = signer.sign(grant)
  const changed = [...ALPHABET].map((last) => signature.slice(0, -1) + last)
  expect(changed.filter((other) => signer.isSigned(grant, other))).toEqual([signature])
  for (const longer of [`${signature}=`, `${signature} `, `${signature}\n`, `${signature}*`]) {
    expect(signer.isSigned(grant, longer)).toBe(false)
  }
})
