import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { ERRORS, type ErrorCode } from '../../../proto/errors.ts'
import { takesIdempotencyKey } from '../../../proto/http/operation.ts'
import { ApiClient } from '../../testing/client.ts'
import type { Account } from '../../testing/fixtures.ts'
import { auditHarness, commands, entryOf, named, withoutRequest } from '../../testing/leaks/audit-harness.ts'
import { codeIn, DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { type Input, targetOf, withOtherBody, withValue } from '../../testing/operations/inputs.ts'
import { ownInput, probesOf, sampleOf, sharedInput } from '../../testing/operations/samples.ts'
import { recordKind } from '../../testing/records.ts'

/** The audit entries of refused commands, and none for reads. */
setDefaultTimeout(30_000)
const { fixtures, log, send, administratorOf, powerlessOf } = await auditHarness()
const reads = DOCUMENTED.filter((operation) => !commands.includes(operation))

/** The declared refusals of an operation with this status, without those of idempotency. */
const codesWith = ({ contract }: Documented, status: number): ErrorCode[] =>
  (contract.refusals ?? []).filter((code) => ERRORS[code].status === status)

describe('a repeated Idempotency-Key writes no entry; with another body it writes one of the refusal', () => {
  test.each(named(commands.filter(({ contract }) => takesIdempotencyKey(contract))))('%s', async (_, operation) => {
    const administrator = await administratorOf(operation)
    const input = await ownInput(operation, fixtures, administrator)
    const keyed = { ...input, headers: { ...input.headers, 'idempotency-key': crypto.randomUUID() } }
    const first = await send(administrator, operation, keyed)
    const again = await send(administrator, operation, keyed)
    expect([again.status, again.text, again.entries]).toEqual([first.status, first.text, []])
    // A key belongs to the operation and its path, so only the body differs.
    const other = withOtherBody(operation, keyed) ?? (await withBodyOfAnother(operation, administrator, keyed))
    // Most verbs have no body, or one that cannot differ.
    if (!other) return
    const conflict = await send(administrator, operation, other)
    expect(conflict.code).toBe('idempotency_conflict')
    expect(withoutRequest(conflict.entries)).toEqual([entryOf(operation, administrator, 'idempotency_conflict')])
  })
})

/** The input with the body of another valid request. Undefined if both are equal. */
async function withBodyOfAnother(operation: Documented, account: Account, input: Input): Promise<Input | undefined> {
  if (operation.body === undefined) return undefined
  const { body } = await ownInput(operation, fixtures, account)
  return Bun.deepEquals(body, input.body) ? undefined : { ...input, body }
}

describe('a 409 or 412 writes one entry', () => {
  const conflicting = commands.filter((operation) => codesWith(operation, 409).length > 0)

  test.each(named(conflicting))('%s', async (_, operation) => {
    const administrator = await administratorOf(operation)
    const input = await ownInput(operation, fixtures, administrator)
    const { conflict } = sampleOf(operation)
    if (!conflict) throw new Error(`${operation.id} can conflict, but its case has no conflict`)
    if (conflict === 'race') return expectOneWinner(operation, administrator, input)
    const { status, code, entries } = await send(
      administrator,
      operation,
      await conflict(fixtures, administrator, input),
    )
    expect([status, codesWith(operation, 409)]).toEqual([409, expect.arrayContaining([code])])
    expect(withoutRequest(entries)).toEqual([entryOf(operation, administrator, code)])
  })

  test.each(named(commands.filter(({ contract }) => contract.ifMatch)))(
    '%s with an outdated If-Match',
    async (_, operation) => {
      const administrator = await administratorOf(operation)
      const input = await sharedInput(operation, fixtures, administrator)
      const { status, entries } = await send(administrator, operation, { ...input, headers: { 'if-match': '"old"' } })
      expect(status).toBe(412)
      expect(withoutRequest(entries)).toEqual([entryOf(operation, administrator, 'precondition_failed')])
    },
  )
})

/** Of two concurrent commands of one session one succeeds and one is refused, and each writes an entry. */
async function expectOneWinner(operation: Documented, account: Account, input: Input): Promise<void> {
  const client = new ApiClient(fixtures.market.url, await fixtures.newToken(account))
  const send = () =>
    client.send(operation.method, targetOf(operation, input), {
      headers: { 'x-forwarded-for': fixtures.address(), ...input.headers },
      body: input.body,
    })
  const { result, entries } = await log.during(() => Promise.all([send(), send()]))
  expect(result.map(({ status }) => status).sort()).toEqual([operation.success, 409])
  const code = result.map(({ body }) => codeIn(body)).find((found) => found !== undefined)
  const inOrder = entries.sort((a, b) => Number(b.success) - Number(a.success))
  expect(withoutRequest(inOrder)).toEqual([null, code ?? ''].map((error) => entryOf(operation, account, error)))
}

describe('an invalid or unauthenticated command writes no entry', () => {
  test.each(named(commands.filter(({ body }) => body !== undefined)))('%s with a wrong body', async (_, operation) => {
    const administrator = await administratorOf(operation)
    const input = await sharedInput(operation, fixtures, administrator)
    // A form may have unknown fields.
    const unknownField = operation.contract.form === 'required' ? [] : [withValue(input, 'body.unknown', 1).body]
    const { result, entries } = await log.during(async () => {
      const statuses: number[] = []
      for (const body of [...unknownField, [], '{']) {
        statuses.push((await fixtures.send(administrator, operation, { ...input, body })).status)
      }
      return statuses
    })
    expect([result.filter((status) => ![400, 422].includes(status)), entries]).toEqual([[], []])
  })

  test.each(named(commands))('%s with an unknown id', async (_, operation) => {
    const administrator = await administratorOf(operation)
    const input = await sharedInput(operation, fixtures, administrator)
    const probes = probesOf(operation).filter((probe) => probe.place.startsWith('path.'))
    const wrong = probes.flatMap(({ place, record }) =>
      [recordKind(record).random(), 'no id'].map((id) => withValue(input, place, id)),
    )
    const { result, entries } = await log.during(async () => {
      const statuses: number[] = []
      for (const each of wrong) statuses.push((await fixtures.send(administrator, operation, each)).status)
      return statuses
    })
    expect([result, entries]).toEqual([wrong.map(() => 404), []])
  })

  test.each(named(commands))('%s without a token', async (_, operation) => {
    if (operation.contract.access === 'public') return
    const input = await sharedInput(operation, fixtures, await administratorOf(operation))
    const { status, entries } = await send(undefined, operation, input)
    expect([status, entries]).toEqual([401, []])
  })
})

describe('a read writes no entry', () => {
  test.each(named(reads))('%s', async (_, operation) => {
    const administrator = await administratorOf(operation)
    const input = await sharedInput(operation, fixtures, administrator)
    const callers = [administrator, await powerlessOf(operation), undefined]
    const { entries } = await log.during(async () => {
      for (const caller of callers) await fixtures.send(caller, operation, input)
    })
    expect(entries).toEqual([])
  })
})
