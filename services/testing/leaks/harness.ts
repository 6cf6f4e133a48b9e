import { SERVICES } from '../../../proto/services.ts'
import { type CapturedLog, captureLog } from '../captured-log.ts'
import type { ApiAnswer } from '../client.ts'
import { FIXTURE_SETTINGS, Fixtures } from '../fixtures.ts'
import { TEST_PASSWORD, testMarketplace } from '../marketplace.ts'
import type { Documented } from '../operations/document.ts'
import { type Input, targetOf } from '../operations/inputs.ts'
import { SecretRegistry } from './secret-registry.ts'

/** Names under which an answer hands a secret out. */
const HANDED_OUT = /token|secret|url|link/i

/** A marketplace in which secrets are sown, and every place in which they could come up. */
export class Field {
  readonly fixtures: Fixtures
  readonly secrets = new SecretRegistry()
  readonly log: CapturedLog
  readonly answers: { operation: string; status: number; texts: string[] }[] = []
  readonly #spans: string[]

  constructor(fixtures: Fixtures, log: CapturedLog, spans: string[]) {
    this.fixtures = fixtures
    this.log = log
    this.#spans = spans
    this.secrets.keep(TEST_PASSWORD, 'the password of an account')
    this.secrets.keep(fixtures.market.config.ENCRYPTION_KEYS.split(':')[1] ?? '', 'the key that encrypts')
  }

  /** Sends a request and keeps what is answered; what the answer hands out is a secret from then on. */
  async send(operation: Documented, input: Input & { raw?: string }, token?: string): Promise<ApiAnswer<unknown>> {
    if (token !== undefined) this.secrets.keep(token, 'an access token')
    const answer = await this.fixtures.market.anonymous.send(operation.method, targetOf(operation, input), {
      headers: {
        'x-forwarded-for': this.fixtures.address(),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(input.raw === undefined ? {} : { 'content-type': 'application/json' }),
        ...input.headers,
      },
      body: input.raw ?? input.body,
    })
    if (operation.contract.noStore) this.#keepHandedOut(operation, answer.body)
    this.answers.push({
      operation: operation.id,
      status: answer.status,
      texts: [JSON.stringify([...answer.headers]), answer.text],
    })
    return answer
  }

  #keepHandedOut(operation: Documented, node: unknown): void {
    for (const [name, value] of Object.entries((node ?? {}) as Record<string, unknown>)) {
      if (typeof value === 'object') this.#keepHandedOut(operation, value)
      else if (typeof value === 'string' && HANDED_OUT.test(name) && value !== 'Bearer') {
        this.secrets.keep(value, `the ${name} that ${operation.id} answered`, [operation.id])
      }
    }
  }

  /** Every row of every table, as text. */
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

  /** Stops the marketplace, which hands over the traces that it still holds. */
  async traces(): Promise<string> {
    await this.fixtures.market.stop()
    return this.#spans.join('\n')
  }
}

/** Secrets are looked for at the level at which most is told. */
export async function field(): Promise<Field> {
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
  return new Field(new Fixtures(market), log, spans)
}
