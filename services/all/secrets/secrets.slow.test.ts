import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Account } from '../../testing/fixtures.ts'
import { field } from '../../testing/leaks/harness.ts'
import { SecretRegistry } from '../../testing/leaks/secret-registry.ts'
import { caseOf, ownInput } from '../../testing/operations/cases.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { fieldsOf, type Input, lastName, withValue } from '../../testing/operations/inputs.ts'

/**
 * Unique secrets go into every operation wherever it takes one, in requests that succeed and in requests that fail in
 * every way; then they are looked for everywhere.
 */
setDefaultTimeout(60_000)
const sown = await field()
const { fixtures, secrets } = sown

/** What stands in bodies and is no secret: answers and records may show it, the log may not. */
const contents = new SecretRegistry()
const SECRET_NAME = /password|token|secret|sas/i
const CONTROL = 'control-of-the-search'

/** Places of a request at which clients put secrets, rightly or not. */
const withHeaders = (input: Input): Input => ({
  ...input,
  query: { ...input.query, access_token: secrets.sow('a query parameter'), password: secrets.sow('a query parameter') },
  headers: {
    'x-request-id': CONTROL,
    cookie: `session=${secrets.sow('a cookie')}`,
    'x-api-key': secrets.sow('an API key'),
    'proxy-authorization': `Basic ${secrets.sow('a proxy password')}`,
  },
})

const textsOf = ({ body }: Documented) =>
  (body ? fieldsOf(body) : []).filter(({ schema }) => schema.type === 'string' && !schema.enum)

const secretsOf = (operation: Documented, input: Input): Input =>
  textsOf(operation)
    .filter(({ place }) => SECRET_NAME.test(lastName(place)))
    .reduce((changed, { place }) => withValue(changed, place, secrets.sow(place)), input)

const contentsOf = (operation: Documented, input: Input): Input =>
  textsOf(operation).reduce((changed, { place }) => withValue(changed, place, contents.sow(place)), input)

/** Bodies with secrets in them that no operation takes. */
function brokenWithSecrets(input: Input): string[] {
  const secret = () => secrets.sow('a broken body')
  const sent = JSON.stringify({ ...(input.body as object), password: secret(), client_secret: secret() })
  return [
    sent,
    sent.slice(0, -1),
    `{"password":"${secret()}"`,
    `["${secret()}"]`,
    `"${secret()}"`,
    JSON.stringify({ grant_type: secret(), token: { token: secret() }, password: [secret()], newPassword: 1 }),
    JSON.stringify({ ...(input.body as object), password: `${secret()}\0`, token: `${secret()}${'x'.repeat(20_000)}` }),
  ]
}

async function sowInto(operation: Documented, administrator: Account, powerless: Account): Promise<void> {
  const tokenOf = async (account: Account) => (await fixtures.clientOf(account)).accessToken
  const own = async () => withHeaders(await ownInput(operation, fixtures, administrator))
  const right = await own()
  keepSecretsIn(operation, right)
  const { status, text } = await sown.send(operation, right, await tokenOf(administrator))
  if (status !== operation.success) throw new Error(`${operation.id}: ${status} ${text}`)
  const wrong = secretsOf(operation, await own())
  await sown.send(operation, wrong, await tokenOf(administrator))
  await sown.send(operation, wrong, await tokenOf(powerless))
  await sown.send(operation, wrong, secrets.sow('a token that is none'))
  const basic = Buffer.from(`user:${secrets.sow('a basic password')}`).toString('base64')
  await sown.send(operation, { ...wrong, headers: { ...wrong.headers, authorization: `Basic ${basic}` } })
  if (operation.body === undefined) return
  const told = contentsOf(operation, await own())
  await sown.send(operation, told, await tokenOf(administrator))
  await sown.send(operation, withValue(told, 'body.unknown', contents.sow('unknown')), await tokenOf(administrator))
  for (const raw of brokenWithSecrets(right)) {
    await sown.send(operation, { ...right, raw }, await tokenOf(administrator))
  }
}

/** Secrets that open something are as secret as those that do not. */
function keepSecretsIn({ body }: Documented, input: Input): void {
  for (const { place } of body ? fieldsOf(body) : []) {
    if (!SECRET_NAME.test(lastName(place))) continue
    let value: unknown = input.body
    for (const name of place.split('.').slice(1)) value = (value as Record<string, unknown> | undefined)?.[name]
    if (typeof value === 'string') secrets.keep(value, place)
  }
}

for (const operation of DOCUMENTED) {
  const kind = caseOf(operation).by ?? 'owner'
  await sowInto(operation, await fixtures.account(kind, 'administrator'), await fixtures.account(kind, 'powerless'))
}
const duringNormalWork = sown.log.texts.length
await breakAuditLog()

/** A statement that fails carries its parameters in the error that is thrown. */
async function breakAuditLog(): Promise<void> {
  const commands = DOCUMENTED.filter(({ contract }) => contract.audit)
  const prepared = []
  for (const operation of commands) {
    const administrator = await fixtures.account(caseOf(operation).by ?? 'owner', 'administrator')
    const input = await ownInput(operation, fixtures, administrator)
    keepSecretsIn(operation, input)
    prepared.push({ operation, input, accessToken: (await fixtures.clientOf(administrator)).accessToken })
  }
  const { owner } = fixtures.market.db
  await owner`alter table organization.audit_log rename to audit_log_away`
  for (const { operation, input, accessToken } of prepared) await sown.send(operation, input, accessToken)
  await owner`alter table organization.audit_log_away rename to audit_log`
}

describe('secrets', () => {
  test('were sown, and can be found: the search is no idle one', () => {
    expect(secrets.size).toBeGreaterThan(DOCUMENTED.length * 5)
    expect(sown.log.texts.join('\n')).toContain(CONTROL)
    const shown = secrets.sow('one that is shown')
    const hidden = [shown, Buffer.from(`x${shown}y`).toString('base64'), Buffer.from(shown).toString('hex')]
    for (const text of hidden) expect(secrets.findIn(`<${text}>`)).toEqual(['one that is shown'])
  })

  test.each(DOCUMENTED.map(({ id }) => [id] as const))(
    'are in no answer of %s but the one meant to carry them',
    (id) => {
      const answers = sown.answers.filter(({ operation }) => operation === id)
      expect(answers.length).toBeGreaterThan(3)
      // Many answers are the same text.
      const texts = new Set(answers.flatMap((answer) => answer.texts))
      expect([...texts].flatMap((text) => secrets.findIn(text, id))).toEqual([])
    },
  )

  test('are in no line of the log, at its most talkative', () => {
    expect(sown.log.texts.flatMap((line) => secrets.findIn(line).map((what) => `${what}: ${line}`))).toEqual([])
  })

  test('are not alone in that: no content of a body is logged, whether it is taken or refused', () => {
    expect(contents.size).toBeGreaterThan(20)
    expect(sown.log.texts.flatMap((line) => contents.findIn(line).map((what) => `${what}: ${line}`))).toEqual([])
  })

  test('are in no row of any table: no audit entry, history, event, answer that is kept', async () => {
    const tables = await sown.rows()
    expect(tables.find(({ table }) => table === 'sourcing.outbox')?.text).not.toBe('')
    expect(tables.flatMap(({ table, text }) => secrets.findIn(text).map((what) => `${what}: ${table}`))).toEqual([])
  })

  test('are in no metric', async () => {
    const metrics = await sown.metrics()
    expect(metrics).toContain('createToken')
    expect(secrets.findIn(metrics)).toEqual([])
  })
})

describe('a command whose audit entry cannot be written', () => {
  test('fails in the envelope, with a fixed text and a line in the log', () => {
    const bugs = sown.log.texts.slice(duringNormalWork).filter((line) => line.includes('"bug"'))
    const failed = sown.answers.filter(({ status }) => status === 500)
    expect(new Set(failed.map(({ operation }) => operation))).toEqual(
      new Set(DOCUMENTED.filter(({ contract }) => contract.audit).map(({ id }) => id)),
    )
    expect(bugs.length).toBe(failed.length)
    for (const { texts } of failed) {
      expect(texts[1]).toContain('internal_error')
      expect(texts[1]).not.toMatch(/audit_log|relation|insert/)
    }
  })

  test('is the only thing that the log calls an error', () => {
    const lines = sown.log.texts.slice(0, duringNormalWork).map((line) => JSON.parse(line) as { level: string })
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
  })
})

// Last, for traces are handed over at the end.
test('secrets are in no trace', async () => {
  const traces = await sown.traces()
  for (const { id } of DOCUMENTED) expect(traces).toContain(id)
  expect([...secrets.findIn(traces), ...contents.findIn(traces)]).toEqual([])
})
