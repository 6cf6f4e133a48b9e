import { expect, test } from 'bun:test'
import { createSecretBox } from './box.ts'

const key = (name: string, byte: number) => `${name}:${Buffer.alloc(32, byte).toString('base64')}`

test('what is sealed opens again, never looks the same twice and never shows', async () => {
  const box = await createSecretBox(key('a', 1))
  const [one, two] = [await box.encrypt('a secret'), await box.encrypt('a secret')]
  expect(one).not.toBe(two)
  expect(one).not.toContain('secret')
  expect(await box.decrypt(one)).toBe('a secret')
})

test('after a new key is put in front, the old one still opens and only the new one seals', async () => {
  const sealed = await (await createSecretBox(key('old', 1))).encrypt('x')
  const box = await createSecretBox(`${key('new', 2)},${key('old', 1)}`)
  expect(await box.decrypt(sealed)).toBe('x')
  expect([box.isCurrent(sealed), box.isCurrent(await box.encrypt('x'))]).toEqual([false, true])
})

test('a missing key is named, and a touched text does not open', async () => {
  const sealed = await (await createSecretBox(key('a', 1))).encrypt('x')
  const other = await createSecretBox(key('b', 2))
  await expect(other.decrypt(sealed)).rejects.toThrow('ENCRYPTION_KEYS lacks the key a')
  const box = await createSecretBox(key('a', 1))
  await expect(box.decrypt(`${sealed.slice(0, -2)}AA`)).rejects.toThrow()
})
