import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { isClosedToImpersonations } from '../../proto/http/operation.ts'
import { newId } from '../kit/db/ids.ts'
import { ApiClient } from '../testing/client.ts'
import { FIXTURE_SETTINGS, Fixtures } from '../testing/fixtures.ts'
import { AuditLogReader } from '../testing/leaks/entries.ts'
import { testMarketplace } from '../testing/marketplace.ts'
import { codeIn, DOCUMENTED, type Documented } from '../testing/operations/document.ts'
import { targetOf } from '../testing/operations/inputs.ts'
import { ownInput, sampleOf } from '../testing/operations/samples.ts'
import { openSession } from '../testing/sessions.ts'

/** An impersonation of an administrator sends every command. */
setDefaultTimeout(30_000)
const fixtures = new Fixtures(await testMarketplace(FIXTURE_SETTINGS))
const log = new AuditLogReader(fixtures.market.db.owner)

const commands = DOCUMENTED.filter(({ contract }) => contract.audit && contract.access !== 'public')
const named = (operations: readonly Documented[]) => operations.map((operation) => [operation.id, operation] as const)

async function sendActing(operation: Documented) {
  const account = await fixtures.account(sampleOf(operation).by ?? 'owner', 'administrator')
  const input = await ownInput(operation, fixtures, account)
  const grantId = newId('grant')
  const { accessToken } = await openSession(fixtures.market, account, { actingEmail: 'support@example.com', grantId })
  const client = new ApiClient(fixtures.market.url, accessToken)
  const send = () =>
    client.send(operation.method, targetOf(operation, input), {
      headers: { 'x-forwarded-for': fixtures.address(), ...input.headers },
      body: input.body,
    })
  const { result, entries } = await log.during(send)
  const { orgId, userId } = account
  const entry = { procedure: String(operation.contract.audit?.procedure), orgId, actorId: userId, grantId }
  return { ...result, entry, entries: entries.map(({ request, ...rest }) => rest) }
}

describe('during an impersonation, a closed command is 403 and audited with the grant', () => {
  const closed = commands.filter(({ contract }) => isClosedToImpersonations(contract))

  test.each(named(closed))('%s', async (_, operation) => {
    const { status, body, entry, entries } = await sendActing(operation)
    expect([status, codeIn(body)]).toEqual([403, 'forbidden'])
    expect(entries).toEqual([{ ...entry, success: false, error: 'forbidden' }])
  })
})

describe('during an impersonation, any other command succeeds and is audited with the grant', () => {
  const open = commands.filter(({ contract }) => !isClosedToImpersonations(contract))

  test.each(named(open))('%s', async (_, operation) => {
    const { status, text, entry, entries } = await sendActing(operation)
    expect([status, text]).toEqual([operation.success, text])
    expect(entries).toEqual([{ ...entry, success: true, error: null }])
  })
})
