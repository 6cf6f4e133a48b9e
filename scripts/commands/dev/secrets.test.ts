import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SERVICES } from '../../../proto/services.ts'
import { readSecrets, serviceUrl, writeSecrets } from './secrets.ts'

const root = await mkdtemp(join(tmpdir(), 'secrets-'))
afterAll(() => rm(root, { recursive: true }))

test('secrets: created once, all different, unreadable for other users', async () => {
  const first = await readSecrets(root)
  expect(await readSecrets(root)).toEqual(first)
  const passwords = [first.ownerPassword, ...SERVICES.map((service) => first.servicePasswords[service])]
  expect(new Set(passwords).size).toBe(SERVICES.length + 1)
  expect((await stat(join(root, 'secrets.json'))).mode & 0o777).toBe(0o600)
})

test('the encryption key: a name and 32 bytes', async () => {
  const [name, key = ''] = (await readSecrets(root)).encryptionKeys.split(':')
  expect(name).toBe('local')
  expect(Buffer.from(key, 'base64').length).toBe(32)
})

test('written secrets are read again', async () => {
  const secrets = await readSecrets(root)
  await writeSecrets(root, { ...secrets, databasePort: 54_321 })
  expect((await readSecrets(root)).databasePort).toBe(54_321)
})

test('the URL of a service: its own role, not the owner', async () => {
  const secrets = await readSecrets(root)
  const url = new URL(
    serviceUrl('postgres://owner:top-secret@db.example:6432/market?sslmode=require', 'catalog', secrets),
  )
  expect(url.username).toBe('marketplace_catalog')
  expect(url.password).toBe(secrets.servicePasswords.catalog)
  expect(url.host + url.pathname + url.search).toBe('db.example:6432/market?sslmode=require')
})

test('damaged secrets: refused in one sentence, not replaced', async () => {
  const damaged = await mkdtemp(join(root, 'damaged-'))
  await writeFile(join(damaged, 'secrets.json'), '{"ownerPassword": "a')
  await expect(readSecrets(damaged)).rejects.toThrow(/is damaged/)
})
