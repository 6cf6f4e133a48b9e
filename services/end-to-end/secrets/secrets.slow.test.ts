import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Account } from '../../testing/fixtures.ts'
import { harness } from '../../testing/leaks/harness.ts'
import { SecretRegistry } from '../../testing/leaks/secret-registry.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { fieldsOf, type Input, lastName, withValue } from '../../testing/operations/inputs.ts'
import { ownInput, sampleOf, sharedInput } from '../../testing/operations/samples.ts'

/**
 * Plants unique secrets in every operation, in requests that succeed and requests that fail, and then searches for them
 * in all outputs.
 */
setDefaultTimeout(60_000)
const leaks = await harness()
const { fixtures, secrets } = leaks

/** Other content of bodies, which responses and tables may contain, but logs may not. */
const contents = new SecretRegistry()
const SECRET_NAME = /password|token|secret|sas/i
const CONTROL = 'control-of-the-search'

/** Secrets in the query, where clients put them by mistake. Every operation refuses the request. */
const withQuery = (input: Input): Input => ({
  ...input,
  query: {
    ...input.query,
    access_token: secrets.plant('a query parameter'),
    password: secrets.plant('a query parameter'),
  },
})

const withHeaders = (input: Input): Input => ({
  ...input,
  headers: {
    ...input.headers,
    'x-request-id': CONTROL,
    cookie: [input.headers.cookie, `session=${secrets.plant('a cookie')}`].filter(Boolean).join('; '),
    'x-api-key': secrets.plant('an API key'),
    'proxy-authorization': `Basic ${secrets.plant('a proxy password')}`,
  },
})

const textsOf = ({ body }: Documented) =>
  (body ? fieldsOf(body) : []).filter(({ schema }) => schema.type === 'string' && !schema.enum)

const withSecrets = (operation: Documented, input: Input): Input =>
  textsOf(operation)
    .filter(({ place }) => SECRET_NAME.test(lastName(place)))
    .reduce((changed, { place }) => withValue(changed, place, secrets.plant(place)), input)

const withContents = (operation: Documented, input: Input): Input =>
  textsOf(operation).reduce((changed, { place }) => withValue(changed, place, contents.plant(place)), input)

/** Invalid bodies with secrets. */
function brokenWithSecrets(input: Input): string[] {
  const secret = () => secrets.plant('a broken body')
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

/** At the endpoints of OAuth the header is the authentication of a client, so an access token there is an error. */
const accessTokenFor = async ({ contract }: Documented, account: Account) =>
  contract.client === undefined ? fixtures.newToken(account) : undefined

const sessions = new Map<string, string>()

/** Sends a request that is refused with the session of the account, or with a new one if a command has ended it. */
async function sendAs(account: Account, operation: Documented, input: Input & { raw?: string }): Promise<void> {
  if (operation.contract.client) return void (await leaks.send(operation, input))
  const token = sessions.get(account.userId)
  if (token !== undefined && (await leaks.send(operation, input, token)).status !== 401) return
  const opened = await fixtures.newToken(account)
  sessions.set(account.userId, opened)
  await leaks.send(operation, input, opened)
}

const formOf = ({ errorFormat, contract }: Documented) => `${errorFormat} ${contract.form}`
/** The first operation of each kind of body sends every invalid one. Each other operation sends two, in turn. */
const ALL_BROKEN = new Set(
  new Map(
    DOCUMENTED.filter(({ body }) => body)
      .toReversed()
      .map((each) => [formOf(each), each]),
  ).values(),
)
const inTurn = <T>(operation: Documented, items: readonly T[], step = 0): T =>
  items[(DOCUMENTED.indexOf(operation) + step) % items.length] as T

/**
 * A valid request reaches the feature, and so do those with secrets or texts in its fields. All others are refused by
 * the kit before, by the same code for every operation: each operation gets one or two of each group, in turn.
 */
async function plantIn(operation: Documented, administrator: Account, powerless: Account): Promise<void> {
  const valid = withHeaders(await ownInput(operation, fixtures, administrator))
  registerSecretsOf(operation, valid)
  const { status, text } = await leaks.send(operation, valid, await accessTokenFor(operation, administrator))
  if (status !== operation.success) throw new Error(`${operation.id}: ${status} ${text}`)
  // A refused request leaves its records to the next one. Texts of fields can be accepted.
  const inputFor = operation.body ? ownInput : sharedInput
  const unused = withHeaders(await inputFor(operation, fixtures, administrator))
  const sender = inTurn(operation, [administrator, powerless, undefined])
  if (sender) await sendAs(sender, operation, withQuery(unused))
  else await leaks.send(operation, withQuery(unused))
  const wrong = withSecrets(operation, unused)
  const basic = () => Buffer.from(`user:${secrets.plant('a basic password')}`).toString('base64')
  await inTurn(operation, [
    () => sendAs(powerless, operation, wrong),
    () => leaks.send(operation, wrong, secrets.plant('an invalid token')),
    () => leaks.send(operation, { ...wrong, headers: { ...wrong.headers, authorization: `Basic ${basic()}` } }),
  ])()
  if (operation.body === undefined) return
  const broken = brokenWithSecrets(valid)
  const sent = ALL_BROKEN.has(operation) ? broken : [inTurn(operation, broken), inTurn(operation, broken, 3)]
  for (const raw of sent) await sendAs(administrator, operation, { ...valid, raw })
  if (wrong !== unused) await sendAs(administrator, operation, wrong)
  const withText = withContents(operation, unused)
  await sendAs(administrator, operation, withValue(withText, 'body.unknown', contents.plant('unknown')))
  await sendAs(administrator, operation, withText)
}

/** Registers the valid secrets of a request too. */
function registerSecretsOf({ body }: Documented, input: Input): void {
  for (const { place } of body ? fieldsOf(body) : []) {
    if (!SECRET_NAME.test(lastName(place))) continue
    let value: unknown = input.body
    for (const name of place.split('.').slice(1)) value = (value as Record<string, unknown> | undefined)?.[name]
    if (typeof value === 'string') secrets.register(value, place)
  }
}

for (const operation of DOCUMENTED) {
  const kind = sampleOf(operation).by ?? 'owner'
  await plantIn(operation, await fixtures.account(kind, 'administrator'), await fixtures.account(kind, 'powerless'))
}
const linesBeforeFailures = leaks.log.texts.length
await breakAuditLog()

/** Makes the audit insert fail, because the error of a failed statement contains its parameters. */
async function breakAuditLog(): Promise<void> {
  const commands = DOCUMENTED.filter(({ contract }) => contract.audit)
  const prepared = []
  for (const operation of commands) {
    const administrator = await fixtures.account(sampleOf(operation).by ?? 'owner', 'administrator')
    // A command that fails leaves its records to the next one.
    const input = await sharedInput(operation, fixtures, administrator)
    registerSecretsOf(operation, input)
    prepared.push({ operation, input, accessToken: await accessTokenFor(operation, administrator) })
  }
  const { owner } = fixtures.market.db
  await owner`alter table organization.audit_log rename to audit_log_renamed`
  for (const { operation, input, accessToken } of prepared) await leaks.send(operation, input, accessToken)
  await owner`alter table organization.audit_log_renamed rename to audit_log`
}

describe('secrets', () => {
  test('are planted, and the search finds them in every encoding', () => {
    expect(secrets.size).toBeGreaterThan(DOCUMENTED.length * 5)
    expect(leaks.log.texts.join('\n')).toContain(CONTROL)
    const planted = secrets.plant('control secret')
    const hidden = [planted, Buffer.from(`x${planted}y`).toString('base64'), Buffer.from(planted).toString('hex')]
    for (const text of hidden) {
      expect(secrets.findIn(`<${text}>`)).toEqual(['control secret'])
      const line = JSON.stringify({ a: `"\\${text}` })
      expect(secrets.findInStrings([line])).toEqual([`control secret: ${JSON.stringify(`"\\${text}`)}`])
    }
  })

  test.each(DOCUMENTED.map(({ id }) => [id] as const))(
    'are in no response of %s, except where the contract returns them',
    (id) => {
      const answers = leaks.answers.filter(({ operation }) => operation === id)
      expect(answers.length).toBeGreaterThan(2)
      // Many responses are equal.
      const texts = new Set(answers.flatMap((answer) => answer.texts))
      expect([...texts].flatMap((text) => secrets.findIn(text, id))).toEqual([])
    },
  )

  test('are in no log line at level debug', () => {
    expect(secrets.findInStrings(leaks.log.texts)).toEqual([])
  })

  test('and other texts of bodies are in no log line', () => {
    expect(contents.size).toBeGreaterThan(20)
    expect(contents.findInStrings(leaks.log.texts)).toEqual([])
  })

  test('are in no row of any table', async () => {
    const tables = await leaks.rows()
    expect(tables.find(({ table }) => table === 'sourcing.outbox')?.text).not.toBe('')
    expect(tables.flatMap(({ table, text }) => secrets.findIn(text).map((what) => `${what}: ${table}`))).toEqual([])
  })

  test('are in no metric', async () => {
    const metrics = await leaks.metrics()
    expect(metrics).toContain('createToken')
    expect(secrets.findIn(metrics)).toEqual([])
  })
})

describe('a command whose audit entry cannot be written', () => {
  test('is 500 in the envelope with a fixed text and is logged', () => {
    const lines = leaks.log.texts.slice(linesBeforeFailures).filter((line) => line.includes('"unexpected error"'))
    const failed = leaks.answers.filter(({ status }) => status === 500)
    expect(new Set(failed.map(({ operation }) => operation))).toEqual(
      new Set(
        DOCUMENTED.filter(({ contract: { audit } }) => audit && !audit.refusalsOnly && !audit.isDeferred).map(
          ({ id }) => id,
        ),
      ),
    )
    expect(lines.length).toBe(failed.length)
    for (const { texts } of failed) {
      expect(texts[1]).toMatch(/"code":"internal_error"|"error":"server_error"/)
      expect(texts[1]).not.toMatch(/audit_log|relation|insert/)
    }
  })

  test('is the only cause of log lines of level error', () => {
    const lines = leaks.log.texts.slice(0, linesBeforeFailures).map((line) => JSON.parse(line) as { level: string })
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
  })
})

// Last, because the traces are flushed when the marketplace stops.
test('secrets are in no trace', async () => {
  const traces = await leaks.traces()
  const all = traces.join('\n')
  for (const { id } of DOCUMENTED) expect(all).toContain(id)
  expect([...secrets.findInStrings(traces), ...contents.findInStrings(traces)]).toEqual([])
})
