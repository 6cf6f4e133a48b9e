import { SERVICES } from '../../../proto/services.ts'
import { type CapturedLog, captureLog } from '../captured-log.ts'
import type { ApiAnswer } from '../client.ts'
import { FIXTURE_SETTINGS, Fixtures } from '../fixtures.ts'
import { TEST_PASSWORD, testMarketplace } from '../marketplace.ts'
import type { Documented } from '../operations/document.ts'
import { type Input, targetOf } from '../operations/inputs.ts'
import { SecretRegistry } from './secret-registry.ts'

/**
 * Fields of responses that contain secrets. `url` is the destination that a caller chose; `uploadUrl` and the like
 * grant access. `secretPrefix` is shown in lists.
 */
const SECRET_FIELD = /[Tt]oken|[Ss]ecret(?!Prefix)|Url$|[Ll]ink/

/** A marketplace with planted secrets, and every output in which they could appear. */
class LeakHarness {
  readonly fixtures: Fixtures
  readonly secrets = new SecretRegistry()
  readonly log: CapturedLog
  readonly answers: { operation: string; status: number; texts: string[] }[] = []
  readonly #spans: string[]

  constructor(fixtures: Fixtures, log: CapturedLog, spans: string[]) {
    this.fixtures = fixtures
    this.log = log
    this.#spans = spans
    this.secrets.register(TEST_PASSWORD, 'password of an account')
    this.secrets.register(fixtures.market.config.ENCRYPTION_KEYS.split(':')[1] ?? '', 'encryption key')
  }

  /** Sends a request and records the response. Secrets in the response are registered. */
  async send(operation: Documented, input: Input & { raw?: string }, token?: string): Promise<ApiAnswer<unknown>> {
    if (token !== undefined) this.secrets.register(token, 'an access token')
    const answer = await this.fixtures.market.anonymous.send(operation.method, targetOf(operation, input), {
      headers: {
        'x-forwarded-for': this.fixtures.address(),
        // Beside the client of OAuth there is no token.
        ...(token === undefined || operation.contract.client ? {} : { authorization: `Bearer ${token}` }),
        ...(input.raw === undefined ? {} : { 'content-type': 'application/json' }),
        ...input.headers,
      },
      body: input.raw ?? input.body,
    })
    if (operation.contract.noStore) this.#registerSecrets(operation, answer.body)
    this.answers.push({
      operation: operation.id,
      status: answer.status,
      texts: [JSON.stringify([...answer.headers]), answer.text],
    })
    return answer
  }

  #registerSecrets(operation: Documented, node: unknown): void {
    for (const [name, value] of Object.entries((node ?? {}) as Record<string, unknown>)) {
      if (typeof value === 'object') this.#registerSecrets(operation, value)
      else if (typeof value === 'string' && SECRET_FIELD.test(name) && value !== 'Bearer') {
        this.secrets.register(value, `${name} of ${operation.id}`, [operation.id])
      }
    }
  }

  /** The rows of every table, as text. */
  async rows(): Promise<{ table: string; text: string }[]> {
    const { owner } = this.fixtures.market.db
    const tables = await owner<{ name: string }[]>`
      select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any(${[...SERVICES]}) and c.relkind = 'r'`
    const read = tables.map(async ({ name }) => {
      const found = await owner.unsafe<{ line: string }[]>(`select t::text as line from ${name} t`)
      return { table: name, text: found.map(({ line }) => line).join('\n') }
    })
    return Promise.all(read)
  }

  async metrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.fixtures.market.running.healthPort}/metrics`)).text()
  }

  /** Stops the marketplace, which flushes its remaining traces. */
  async traces(): Promise<string[]> {
    await this.fixtures.market.stop()
    return this.#spans
  }
}

/** The log level is debug, so that every log line is checked. */
export async function harness(): Promise<LeakHarness> {
  const spans: string[] = []
  const collector = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      spans.push(await request.text())
      return Response.json({})
    },
  })
  const log = captureLog()
  const settings = {
    ...FIXTURE_SETTINGS,
    LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
  }
  const market = await testMarketplace(settings, undefined, { logDestination: log.destination })
  return new LeakHarness(new Fixtures(market), log, spans)
}
