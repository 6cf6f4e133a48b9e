import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { SERVICES } from '../../../proto/services.ts'
import { testDatabase } from '../../testing/database.ts'
import { type Account, FIXTURE_SETTINGS, Fixtures } from '../../testing/fixtures.ts'
import { testMarketplace } from '../../testing/marketplace.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { targetOf } from '../../testing/operations/inputs.ts'
import { followSession } from '../../testing/operations/passkey-challenges.ts'
import { ownInput, sampleOf, sharedInput } from '../../testing/operations/samples.ts'
import { openSession } from '../../testing/sessions.ts'
import { holdRequest } from '../../testing/socket.ts'
import { StatementRecorder } from '../../testing/statement-recorder.ts'
import { until } from '../../testing/until.ts'

/**
 * Every command, from the list of operations: the caller loses the authority while the body is being sent. Each service
 * has one connection, so that a command which needs a second one would wait for itself.
 */
setDefaultTimeout(30_000)
const db = await testDatabase()
const recorder = new StatementRecorder(db.name)
db.beforeDrop(async () => recorder.stop())
const fixtures = new Fixtures(
  await testMarketplace({ ...FIXTURE_SETTINGS, DATABASE_POOL_SIZE: '1' }, db, { hasWorkers: false }),
)
const { market } = fixtures
const { owner } = market.db
const commands = DOCUMENTED.filter(({ contract }) => contract.audit && contract.access !== 'public')

/** The statements of all services since the last call. */
const statements = () => SERVICES.flatMap((service) => recorder.take(service))

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
  statements()
  const request = await holdRequest(market.running.port, { target, headers, body: JSON.stringify(input.body ?? {}) })
  // The caller is read when the headers arrive. A change before that would be found by this check.
  await until(() => statements().some((text) => text.includes('from organization.callers')), { what: 'the caller' })
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
