import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { ERRORS, type ErrorCode } from '../../../proto/errors.ts'
import { caseOf, ownInput, probesOf, statusFor } from '../testing/cases.ts'
import { codeIn, DOCUMENTED, type Documented } from '../testing/document.ts'
import { exampleInput, type Input, withValue } from '../testing/inputs.ts'
import { recordKind } from '../testing/records.ts'
import { openSession } from '../testing/sessions.ts'
import { type Account, WORLD_SETTINGS, World } from '../testing/world.ts'
import { testMarketplace } from '../testing.ts'
import { type Entry, EntryReader } from './testing/entries.ts'

/** Each command leaves exactly one entry when it is done and when it is refused; nothing else leaves any. */
setDefaultTimeout(30_000)
const world = new World(await testMarketplace(WORLD_SETTINGS))
const log = new EntryReader(world.market.db.owner)

const commands = DOCUMENTED.filter(({ contract }) => contract.audit)
const reads = DOCUMENTED.filter(({ contract }) => !contract.audit)
const named = (operations: readonly Documented[]) => operations.map((operation) => [operation.id, operation] as const)
const administratorOf = (operation: Documented) => world.account(caseOf(operation).by ?? 'owner', 'administrator')
const powerlessOf = (operation: Documented) => world.account(caseOf(operation).by ?? 'owner', 'powerless')

/** Codes of an operation's own with this status: those of idempotency come with the key. */
const codesWith = ({ contract }: Documented, status: number): ErrorCode[] =>
  (contract.refusals ?? []).filter((code) => ERRORS[code].status === status)

async function sent(account: Account | undefined, operation: Documented, input: Input) {
  const { result, entries } = await log.during(() => world.send(account, operation, input))
  return { status: result.status, code: codeIn(result.body), text: result.text, entries }
}

const entryOf = (operation: Documented, { orgId, userId }: Account, error: string | null = null) => ({
  procedure: operation.contract.audit?.procedure,
  success: error === null,
  error,
  orgId,
  actorId: userId,
  // Who redeems a grant acts under it from there on.
  grantId: operation.id === 'redeemImpersonationGrant' ? expect.any(String) : null,
})

const withoutRequest = (entries: Entry[]): object[] => entries.map(({ request, ...entry }) => entry)

describe('a command that is done leaves one entry', () => {
  test.each(named(commands))('%s', async (_, operation) => {
    const administrator = await administratorOf(operation)
    const input = await ownInput(operation, world, administrator)
    const { status, text, entries } = await sent(administrator, operation, input)
    expect([status, text]).toEqual([operation.success, text])
    expect(withoutRequest(entries)).toEqual([entryOf(operation, administrator)])
    const allowed = operation.contract.audit?.request.map((field) => field.split('.')[0]) ?? []
    for (const name of Object.keys(entries[0]?.request ?? {})) expect([...allowed, 'notShown']).toContain(name)
  })
})

describe('a command that is repeated with its key leaves none, and one with another body the refusal', () => {
  test.each(named(commands.filter(({ contract }) => contract.idempotent)))('%s', async (_, operation) => {
    const administrator = await administratorOf(operation)
    const input = await ownInput(operation, world, administrator)
    const keyed = { ...input, headers: { ...input.headers, 'idempotency-key': crypto.randomUUID() } }
    const first = await sent(administrator, operation, keyed)
    const again = await sent(administrator, operation, keyed)
    expect([again.status, again.text, again.entries]).toEqual([first.status, first.text, []])
    const other = { ...(await ownInput(operation, world, administrator)), headers: keyed.headers }
    const conflict = await sent(administrator, operation, other)
    expect(conflict.code).toBe('idempotency_conflict')
    expect(withoutRequest(conflict.entries)).toEqual([entryOf(operation, administrator, 'idempotency_conflict')])
  })
})

describe('a command without the permission leaves one entry', () => {
  const guarded = commands.filter(({ contract }) => contract.access !== 'public' && contract.access !== 'token')

  test.each(named(guarded))('%s', async (_, operation) => {
    const [administrator, powerless] = [await administratorOf(operation), await powerlessOf(operation)]
    expect(statusFor(operation, powerless)).toBe(403)
    const input = await ownInput(operation, world, administrator)
    const { status, entries } = await sent(powerless, operation, input)
    expect(status).toBe(403)
    expect(withoutRequest(entries)).toEqual([entryOf(operation, powerless, 'forbidden')])
  })
})

describe('a command that conflicts leaves one entry', () => {
  const conflicting = commands.filter((operation) => codesWith(operation, 409).length > 0)

  test.each(named(conflicting))('%s', async (_, operation) => {
    const administrator = await administratorOf(operation)
    const input = await ownInput(operation, world, administrator)
    const { conflict } = caseOf(operation)
    if (!conflict) throw new Error(`${operation.id} can conflict, and its case does not say how`)
    if (conflict === 'race') return expectOneWinner(operation, administrator, input)
    const { status, code, entries } = await sent(administrator, operation, await conflict(world, administrator, input))
    expect([status, codesWith(operation, 409)]).toEqual([409, expect.arrayContaining([code])])
    expect(withoutRequest(entries)).toEqual([entryOf(operation, administrator, code)])
  })

  test.each(named(commands.filter(({ contract }) => contract.ifMatch)))('%s, with an old tag', async (_, operation) => {
    const administrator = await administratorOf(operation)
    const input = await ownInput(operation, world, administrator)
    const { status, entries } = await sent(administrator, operation, { ...input, headers: { 'if-match': '"old"' } })
    expect(status).toBe(412)
    expect(withoutRequest(entries)).toEqual([entryOf(operation, administrator, 'precondition_failed')])
  })
})

/** Of commands sent at once one is done and one refused, and each leaves its entry. */
async function expectOneWinner(operation: Documented, account: Account, input: Input): Promise<void> {
  const { result, entries } = await log.during(() =>
    Promise.all([1, 2].map(() => world.send(account, operation, input))),
  )
  expect(result.map(({ status }) => status).sort()).toEqual([operation.success, 409])
  const code = result.map(({ body }) => codeIn(body)).find((found) => found !== undefined)
  const inOrder = entries.sort((a, b) => Number(b.success) - Number(a.success))
  expect(withoutRequest(inOrder)).toEqual([null, code ?? ''].map((error) => entryOf(operation, account, error)))
}

describe('a command that is not understood, or names nothing, leaves none', () => {
  test.each(named(commands.filter(({ body }) => body !== undefined)))('%s with a wrong body', async (_, operation) => {
    const administrator = await administratorOf(operation)
    const input = await ownInput(operation, world, administrator)
    for (const body of [withValue(input, 'body.unknown', 1).body, [], '{']) {
      const { status, entries } = await sent(administrator, operation, { ...input, body })
      expect([[400, 422].includes(status), entries]).toEqual([true, []])
    }
  })

  test.each(named(commands))('%s with an id of nothing', async (_, operation) => {
    const administrator = await administratorOf(operation)
    for (const { place, record } of probesOf(operation).filter((probe) => probe.place.startsWith('path.'))) {
      const input = await ownInput(operation, world, administrator)
      for (const id of [recordKind(record).random(), 'no id']) {
        const { status, entries } = await sent(administrator, operation, withValue(input, place, id))
        expect([status, entries]).toEqual([404, []])
      }
    }
  })

  test.each(named(commands))('%s without a token', async (_, operation) => {
    if (operation.contract.access === 'public') return
    const input = await ownInput(operation, world, await administratorOf(operation))
    const { status, entries } = await sent(undefined, operation, input)
    expect([status, entries]).toEqual([401, []])
  })
})

describe('the token endpoint', () => {
  const createToken = DOCUMENTED.find(({ id }) => id === 'createToken') as Documented

  test('leaves one entry for a refused sign-in of a known user, and none for nobody', async () => {
    const administrator = await administratorOf(createToken)
    const input = await ownInput(createToken, world, administrator)
    const refused = await sent(undefined, createToken, withValue(input, 'body.password', 'wrong'))
    expect(withoutRequest(refused.entries)).toEqual([entryOf(createToken, administrator, 'invalid_credentials')])
    const nobody = await sent(undefined, createToken, withValue(input, 'body.username', 'nobody@example.com'))
    expect([nobody.status, nobody.entries]).toEqual([401, []])
  })

  test('leaves none for a refresh, and one for a second use of its token', async () => {
    const administrator = await administratorOf(createToken)
    const { refreshToken } = await openSession(world.market, administrator)
    const refresh = { ...exampleInput(createToken), body: { grant_type: 'refresh_token', refresh_token: refreshToken } }
    const first = await sent(undefined, createToken, refresh)
    expect([first.status, first.entries]).toEqual([200, []])
    await world.market.db.owner`
      update identity.refresh_tokens set used_at = used_at - interval '1 minute' where used_at is not null`
    const reused = await sent(undefined, createToken, refresh)
    expect(withoutRequest(reused.entries)).toEqual([
      { ...entryOf(createToken, administrator, 'invalid_credentials'), procedure: 'auth.refreshReuse' },
    ])
  })
})

describe('a read leaves none', () => {
  test.each(named(reads))('%s', async (_, operation) => {
    const administrator = await administratorOf(operation)
    const input = await ownInput(operation, world, administrator)
    const callers = [administrator, await powerlessOf(operation), undefined]
    const { entries } = await log.during(async () => {
      for (const caller of callers) await world.send(caller, operation, input)
    })
    expect(entries).toEqual([])
  })
})
