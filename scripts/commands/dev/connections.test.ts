import { expect, test } from 'bun:test'
import { testServerUrl } from '../../../services/testing/database.ts'
import { freePort } from '../../../services/testing/free-port.ts'
import { requireDatabase, requireNats, requireVersion } from './connections.ts'

test('a database that answers: accepted', async () => {
  expect(await requireDatabase(testServerUrl())).toBe(testServerUrl())
})

test('a dead port: one sentence with host and reason', async () => {
  const port = freePort()
  await expect(requireDatabase(`postgres://a:b@127.0.0.1:${port}/c`)).rejects.toThrow(
    `DATABASE_URL: Postgres on 127.0.0.1:${port} does not answer: nothing listens on this port.`,
  )
  await expect(requireNats(`nats://127.0.0.1:${port}`)).rejects.toThrow(
    `NATS_URL: NATS on 127.0.0.1:${port} does not answer: nothing listens on this port.`,
  )
})

test('an unknown host: one sentence with host and reason', async () => {
  await expect(requireDatabase('postgres://a:b@no-such-host.invalid/c')).rejects.toThrow(
    'DATABASE_URL: Postgres on no-such-host.invalid:5432 does not answer: the host is unknown.',
  )
  await expect(requireNats('nats://no-such-host.invalid')).rejects.toThrow(
    'NATS_URL: NATS on no-such-host.invalid:4222 does not answer: the host is unknown.',
  )
})

test('a wrong password: one sentence with host and reason, without the password', async () => {
  const url = new URL(testServerUrl())
  url.password = 'secret-of-this-test'
  const refusal = requireDatabase(url.href)
  await expect(refusal).rejects.toThrow(
    /^DATABASE_URL: Postgres on 127\.0\.0\.1:\d+ refuses the connection: .*password/,
  )
  await refusal.catch((error) => expect(error.message).not.toContain('secret-of-this-test'))
})

test('Postgres older than 18: refused with host and version', () => {
  expect(() => requireVersion('db.example.com:5432', 160_009)).toThrow(
    'DATABASE_URL: Postgres on db.example.com:5432 is version 16; 18 or newer is needed.',
  )
  requireVersion('db.example.com:5432', 180_000)
})

test.each(['localhost:5432/a', 'mysql://a@b/c', 'no url'])('%p as DATABASE_URL: the expected form', (url) =>
  expect(requireDatabase(url)).rejects.toThrow(/^DATABASE_URL is not a URL of the form postgres:/),
)
