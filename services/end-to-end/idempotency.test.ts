import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { takesIdempotencyKey } from '../../proto/http/operation.ts'
import { FIXTURE_SETTINGS, Fixtures } from '../testing/fixtures.ts'
import { testMarketplace } from '../testing/marketplace.ts'
import { DOCUMENTED } from '../testing/operations/document.ts'
import { ownInput, sampleOf } from '../testing/operations/samples.ts'

setDefaultTimeout(30_000)
const fixtures = new Fixtures(await testMarketplace(FIXTURE_SETTINGS))
const commands = DOCUMENTED.filter(({ contract }) => takesIdempotencyKey(contract))

describe('a repeated Idempotency-Key has the first answer', () => {
  test.each(commands.map((operation) => [operation.id, operation] as const))('of %s', async (_, operation) => {
    const account = await fixtures.account(sampleOf(operation).by ?? 'owner', 'administrator')
    const input = await ownInput(operation, fixtures, account)
    const headers = { ...input.headers, 'idempotency-key': crypto.randomUUID() }
    const first = await fixtures.send(account, operation, { ...input, headers })
    const again = await fixtures.send(account, operation, { ...input, headers })
    expect([first.status, first.text]).toEqual([operation.success, first.text])
    expect([again.status, again.text]).toEqual([first.status, first.text])
  })
})

test('creates of every kind are among them', () => {
  const ids = commands.map(({ id }) => id)
  for (const id of ['createWebhookEndpoint', 'createUploadUrl', 'importPartFile', 'createServiceAccountKey']) {
    expect(ids).toContain(id)
  }
})

test('commands with a token that take no Idempotency-Key are these', () => {
  const without = DOCUMENTED.filter(
    ({ contract: { audit, access } }) => audit !== undefined && access !== 'public',
  ).filter(({ contract }) => !takesIdempotencyKey(contract))
  expect(without.map(({ id }) => id).toSorted()).toEqual([
    'changePassword',
    'confirmWithPasskey',
    'createPasskey',
    'revokeToken',
    'startPasskey',
    'testIdentityProvider',
  ])
})
