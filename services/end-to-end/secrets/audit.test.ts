import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { auditHarness, commands, entryOf, named, withoutRequest } from '../../testing/leaks/audit-harness.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { exampleInput, withValue } from '../../testing/operations/inputs.ts'
import { ownInput, statusFor } from '../../testing/operations/samples.ts'
import { openSession } from '../../testing/sessions.ts'

/** Each command writes exactly one audit entry, whether it succeeds or is refused. */
setDefaultTimeout(30_000)
const { fixtures, send, administratorOf, powerlessOf } = await auditHarness()

describe('a successful command writes one entry', () => {
  test.each(named(commands))('%s', async (_, operation) => {
    const administrator = await administratorOf(operation)
    const input = await ownInput(operation, fixtures, administrator)
    const { status, text, entries } = await send(administrator, operation, input)
    expect([status, text]).toEqual([operation.success, text])
    expect(withoutRequest(entries)).toEqual([entryOf(operation, administrator)])
    const allowed = operation.contract.audit?.request.map((field) => field.split('.')[0]) ?? []
    for (const name of Object.keys(entries[0]?.request ?? {})) expect([...allowed, 'notShown']).toContain(name)
  })
})

describe('a command without the permission writes one entry', () => {
  const guarded = commands.filter(({ contract }) => contract.access !== 'public' && contract.access !== 'token')

  test.each(named(guarded))('%s', async (_, operation) => {
    const [administrator, powerless] = [await administratorOf(operation), await powerlessOf(operation)]
    expect(statusFor(operation, powerless)).toBe(403)
    const input = await ownInput(operation, fixtures, administrator)
    const { status, entries } = await send(powerless, operation, input)
    expect(status).toBe(403)
    expect(withoutRequest(entries)).toEqual([entryOf(operation, powerless, 'forbidden')])
  })
})

describe('the token endpoint', () => {
  const createToken = DOCUMENTED.find(({ id }) => id === 'createToken') as Documented

  test('writes one entry for a refused sign-in of a known user and none for an unknown user', async () => {
    const administrator = await administratorOf(createToken)
    const input = await ownInput(createToken, fixtures, administrator)
    const refused = await send(undefined, createToken, withValue(input, 'body.password', 'wrong'))
    expect(withoutRequest(refused.entries)).toEqual([entryOf(createToken, administrator, 'invalid_credentials')])
    const unknown = await send(undefined, createToken, withValue(input, 'body.username', 'unknown@example.com'))
    expect([unknown.status, unknown.entries]).toEqual([401, []])
  })

  test('writes no entry for a refresh and one for the reuse of its token', async () => {
    const administrator = await administratorOf(createToken)
    const { refreshToken } = await openSession(fixtures.market, administrator)
    const refresh = { ...exampleInput(createToken), body: { grant_type: 'refresh_token', refresh_token: refreshToken } }
    const first = await send(undefined, createToken, refresh)
    expect([first.status, first.entries]).toEqual([200, []])
    await fixtures.market.db.owner`
      update identity.refresh_tokens set used_at = used_at - interval '1 minute' where used_at is not null`
    const reused = await send(undefined, createToken, refresh)
    expect(withoutRequest(reused.entries)).toEqual([
      { ...entryOf(createToken, administrator, 'invalid_credentials'), procedure: 'auth.refreshReuse' },
    ])
  })
})
