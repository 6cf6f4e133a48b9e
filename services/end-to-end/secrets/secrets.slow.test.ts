import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Account } from '../../testing/fixtures.ts'
import { harness } from '../../testing/leaks/harness.ts'
import { SecretRegistry } from '../../testing/leaks/secret-registry.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { fieldsOf, type Input, lastName, withValue } from '../../testing/operations/inputs.ts'
import { ownInput, sampleOf } from '../../testing/operations/samples.ts'

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

async function plantIn(operation: Documented, administrator: Account, powerless: Account): Promise<void> {
  const tokenOf = (account: Account) => accessTokenFor(operation, account)
  const own = async () => withHeaders(await ownInput(operation, fixtures, administrator))
  const valid = await own()
  registerSecretsOf(operation, valid)
  const { status, text } = await leaks.send(operation, valid, await tokenOf(administrator))
  if (status !== operation.success) throw new Error(`${operation.id}: ${status} ${text}`)
  // A refused request leaves its records to the next one.
  const unused = await own()
  for (const account of [administrator, powerless]) {
    await leaks.send(operation, withQuery(unused), await tokenOf(account))
  }
  await leaks.send(operation, withQuery(unused))
  const wrong = withSecrets(operation, unused)
  await leaks.send(operation, wrong, await tokenOf(administrator))
  await leaks.send(operation, wrong, await tokenOf(powerless))
  await leaks.send(operation, wrong, secrets.plant('an invalid token'))
  const basic = Buffer.from(`user:${secrets.plant('a basic password')}`).toString('base64')
  await leaks.send(operation, { ...wrong, headers: { ...wrong.headers, authorization: `Basic ${basic}` } })
  if (operation.body === undefined) return
  const withText = withContents(operation, await own())
  await leaks.send(operation, withText, await tokenOf(administrator))
  await leaks.send(
    operation,
    withValue(withText, 'body.unknown', contents.plant('unknown')),
    await tokenOf(administrator),
  )
  for (const raw of brokenWithSecrets(valid)) {
    await leaks.send(operation, { ...valid, raw }, await tokenOf(administrator))
  }
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
    const input = await ownInput(operation, fixtures, administrator)
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
    for (const text of hidden) expect(secrets.findIn(`<${text}>`)).toEqual(['control secret'])
  })

  test.each(DOCUMENTED.map(({ id }) => [id] as const))(
    'are in no response of %s, except where the contract returns them',
    (id) => {
      const answers = leaks.answers.filter(({ operation }) => operation === id)
      expect(answers.length).toBeGreaterThan(3)
      // Many responses are equal.
      const texts = new Set(answers.flatMap((answer) => answer.texts))
      expect([...texts].flatMap((text) => secrets.findIn(text, id))).toEqual([])
    },
  )

  test('are in no log line at level debug', () => {
    expect(leaks.log.texts.flatMap((line) => secrets.findIn(line).map((what) => `${what}: ${line}`))).toEqual([])
  })

  test('and other texts of bodies are in no log line', () => {
    expect(contents.size).toBeGreaterThan(20)
    expect(leaks.log.texts.flatMap((line) => contents.findIn(line).map((what) => `${what}: ${line}`))).toEqual([])
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
  for (const { id } of DOCUMENTED) expect(traces).toContain(id)
  expect([...secrets.findIn(traces), ...contents.findIn(traces)]).toEqual([])
})
