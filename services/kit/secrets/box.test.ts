import { expect, test } from 'bun:test'
import { createSecretBox, WrongEncryptionKey } from './box.ts'

const key = (name: string, byte: number) => `${name}:${Buffer.alloc(32, byte).toString('base64')}`

test('an encrypted text decrypts to the plain text, differs each time and does not contain it', async () => {
  const box = await createSecretBox(key('a', 1))
  const [one, two] = [await box.encrypt('a secret'), await box.encrypt('a secret')]
  expect(one).not.toBe(two)
  expect(one).not.toContain('secret')
  expect(await box.decrypt(one)).toBe('a secret')
})

test('the first key encrypts, and later keys still decrypt', async () => {
  const encrypted = await (await createSecretBox(key('old', 1))).encrypt('x')
  const box = await createSecretBox(`${key('new', 2)},${key('old', 1)}`)
  expect(await box.decrypt(encrypted)).toBe('x')
  expect([box.isCurrent(encrypted), box.isCurrent(await box.encrypt('x'))]).toEqual([false, true])
})

test('a missing key is named, and a modified text is refused', async () => {
  const encrypted = await (await createSecretBox(key('a', 1))).encrypt('x')
  const other = await createSecretBox(key('b', 2))
  await expect(other.decrypt(encrypted)).rejects.toThrow('ENCRYPTION_KEYS lacks the key a')
  const box = await createSecretBox(key('a', 1))
  await expect(box.decrypt(`${encrypted.slice(0, -2)}AA`)).rejects.toThrow(WrongEncryptionKey)
  const changed = await createSecretBox(key('a', 2))
  await expect(changed.decrypt(encrypted)).rejects.toThrow(
    'The key a of ENCRYPTION_KEYS is not the one with which a stored secret was encrypted.',
  )
})
