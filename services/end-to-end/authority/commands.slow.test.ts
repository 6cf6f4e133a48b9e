import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type Account, FIXTURE_SETTINGS, Fixtures } from '../../testing/fixtures.ts'
import { testMarketplace } from '../../testing/marketplace.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { targetOf } from '../../testing/operations/inputs.ts'
import { followSession } from '../../testing/operations/passkey-challenges.ts'
import { ownInput, sampleOf, sharedInput } from '../../testing/operations/samples.ts'
import { openSession } from '../../testing/sessions.ts'
import { holdRequest } from '../../testing/socket.ts'

/**
 * Every command, from the list of operations: the caller loses the authority while the body is being sent. Each service
 * has one connection, so that a command which needs a second one would wait for itself.
 */
setDefaultTimeout(30_000)
const fixtures = new Fixtures(
  await testMarketplace({ ...FIXTURE_SETTINGS, DATABASE_POOL_SIZE: '1' }, undefined, { hasWorkers: false }),
)
const { market } = fixtures
const { owner } = market.db
const commands = DOCUMENTED.filter(({ contract }) => contract.audit && contract.access !== 'public')

/** Creates an administrator. The account has a password only if the command checks one. */
async function newAdministrator(operation: Documented, known: Account): Promise<Account> {
  const organization = await fixtures.organization(known.kind)
  if (sampleOf(operation).costly) return { ...known, ...(await organization.member('Administrator')) }
  const { userId, email } = await organization.invite()
  await organization.grant('Administrator', userId)
  return { ...known, userId, email }
}

const standIns = new Map<string, Promise<Account>>()

/** An administrator for commands that are refused. A test returns what it takes from the account. */
function standIn(operation: Documented, known: Account): Promise<Account> {
  const key = `${known.kind} ${sampleOf(operation).costly}`
  const account = standIns.get(key) ?? newAdministrator(operation, known)
  standIns.set(key, account)
  return account
}

/** A valid request, held back before the last byte of its body. A refused one leaves its records to others. */
async function held(operation: Documented, { isRefused }: { isRefused: boolean }) {
  const administrator = await fixtures.account(sampleOf(operation).by ?? 'owner', 'administrator')
  const account = await (isRefused ? standIn : newAdministrator)(operation, administrator)
  const input = await (isRefused ? sharedInput : ownInput)(operation, fixtures, account)
  const { id: sessionId, accessToken } = await openSession(market, account)
  await followSession(market, account, sessionId)
  const headers = { authorization: `Bearer ${accessToken}`, 'x-forwarded-for': fixtures.address(), ...input.headers }
  const target = `${operation.method} ${targetOf(operation, input)}`
  // The token is known to the service, as that of a client that has sent other requests.
  await market.anonymous.get('/v1/parts', { headers: { authorization: headers.authorization } })
  const request = await holdRequest(market.running.port, { target, headers, body: JSON.stringify(input.body ?? {}) })
  const successes = async () =>
    (await owner`select id from organization.audit_log where actor_id = ${account.userId} and success`).length
  const before = await successes()
  return { account, sessionId, finish: request.finish, written: async () => (await successes()) - before }
}

test('commands are found in the list of operations', () => {
  expect(commands.length).toBeGreaterThan(25)
})

describe.each(commands.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  test('succeeds after its body was held back', async () => {
    const { finish, written } = await held(operation, { isRefused: false })
    const { status, body } = await finish()
    expect([status, body, await written()]).toEqual([operation.success, body, 1])
  })

  test('of a user deactivated while the body was held back is 401 and writes nothing', async () => {
    const { account, finish, written } = await held(operation, { isRefused: true })
    await owner`update organization.users set active = false where id = ${account.userId}`
    const { status, body } = await finish()
    await owner`update organization.users set active = true where id = ${account.userId}`
    expect([status, body, await written()]).toEqual([401, body, 0])
  })

  test('of a session ended while the body was held back is 401 and writes nothing', async () => {
    const { sessionId, finish, written } = await held(operation, { isRefused: true })
    await owner`update identity.sessions set ended_at = now() where id = ${sessionId}`
    const { status, body } = await finish()
    expect([status, body, await written()]).toEqual([401, body, 0])
  })

  const { access } = operation.contract
  if (access === 'token') return
  test('of a user whose roles were withdrawn while the body was held back is 403 and writes nothing', async () => {
    const { account, finish, written } = await held(operation, { isRefused: true })
    await owner`delete from organization.user_roles where user_id = ${account.userId}`
    const { status, body } = await finish()
    await (await fixtures.organization(account.kind)).grant('Administrator', account.userId)
    expect([status, body, await written()]).toEqual([403, body, 0])
  })
})
