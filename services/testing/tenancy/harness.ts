import { SERVICES } from '../../../proto/services.ts'
import type { CapturedLog } from '../captured-log.ts'
import { type Account, Fixtures, type Kind } from '../fixtures.ts'
import type { Probe } from '../operations/cases.ts'
import type { Documented } from '../operations/document.ts'
import { type Input, targetOf } from '../operations/inputs.ts'
import { recordKind } from '../records.ts'
import { common, recordedMarketplace, type StatementLog } from '../statement-log.ts'

/** What an answer shows of itself, and what it cost. */
export interface Finding {
  status: number
  text: string
  headers: Record<string, string>
  statements: string[]
  log: string[]
}

/** Fixed, so that two answers are the same bytes but for what they say of the request's path. */
const REQUEST_ID = 'probe'
const VARYING_HEADERS = ['date', 'ratelimit']
const VARYING_FIELDS = ['time', 'ms']
const TRIES = 8

/** A marketplace in which every answer can be weighed: its bytes, its statements on the wire, its log lines. */
export class TenancyHarness {
  readonly fixtures: Fixtures
  readonly #taps: StatementLog
  readonly #log: CapturedLog
  readonly #foreign = new Map<string, Promise<unknown>>()
  /** Everything private that was made, by the organization that it is private to. */
  readonly #made: { orgId: string; values: string[] }[] = []

  constructor(fixtures: Fixtures, taps: StatementLog, log: CapturedLog) {
    this.fixtures = fixtures
    this.#taps = taps
    this.#log = log
  }

  /** A record of the account's own. */
  async own({ record }: Probe, account: Account): Promise<unknown> {
    return this.#noted(account.orgId, await recordKind(record).make(this.fixtures, account))
  }

  /** A record of another organization, made once. */
  async foreign({ record }: Probe, account: Account): Promise<unknown> {
    const owners: readonly Kind[] = recordKind(record).owners
    const kind = owners.find((other) => other !== account.kind)
    if (!kind) throw new Error(`${record}: nobody else can have one`)
    const key = `${record} ${kind}`
    const known = this.#foreign.get(key) ?? this.#madeBy(kind, record)
    this.#foreign.set(key, known)
    return known
  }

  async #madeBy(kind: Kind, record: Probe['record']): Promise<unknown> {
    const owner = await this.fixtures.account(kind, 'administrator')
    return this.#noted(owner.orgId, await recordKind(record).make(this.fixtures, owner))
  }

  #noted(orgId: string, value: unknown): unknown {
    const values = typeof value === 'string' ? [value] : Object.values(value as Record<string, string>)
    this.#made.push({ orgId, values })
    return value
  }

  /** Sends one request while nothing else is sent, and says what it left behind. */
  async weigh(account: Account, operation: Documented, input: Input): Promise<Finding> {
    this.#taps.take()
    const logged = this.#log.texts.length
    const answer = await account.client.send(operation.method, targetOf(operation, input), {
      headers: { 'x-request-id': REQUEST_ID, 'x-forwarded-for': '10.0.0.1', ...input.headers },
      body: input.body,
    })
    return {
      status: answer.status,
      text: answer.text.replace(/"instance":"[^"]*"/, '"instance":""'),
      headers: Object.fromEntries([...answer.headers].filter(([name]) => !VARYING_HEADERS.includes(name))),
      statements: this.#taps.take(),
      log: this.#log.texts.slice(logged).map(withoutVarying),
    }
  }

  /**
   * Sends two requests until they can be compared: a consumer of events may ask Postgres for something at any moment,
   * but what a request asks for is there each time. Answers what differs.
   */
  async compare(account: Account, operation: Documented, inputs: () => [Input, Input]): Promise<string[]> {
    let told: string[] = []
    let least: [string[], string[]] | undefined
    for (let tries = 0; tries < TRIES; tries++) {
      const [input, otherInput] = inputs()
      const one = await this.weigh(account, operation, input)
      const other = await this.weigh(account, operation, otherInput)
      least = [common(least?.[0], one.statements), common(least?.[1], other.statements)]
      told = [
        ...differences({ ...one, statements: least[0] }, { ...other, statements: least[1] }),
        ...this.leaksIn(one.text, account, input),
      ]
      if (told.length === 0) break
    }
    return told.map((difference) => `${account.name}: ${difference}`)
  }

  /** Private values of other organizations that an answer shows and the request did not name. */
  leaksIn(text: string, account: Account, sent: Input): string[] {
    const named = JSON.stringify(sent)
    return this.#made
      .filter(({ orgId }) => orgId !== account.orgId)
      .flatMap(({ values }) => values.filter((value) => text.includes(value) && !named.includes(value)))
  }

  /** Every row there is, but for the logs, which tell of refusals by design, and what the bus does at its own pace. */
  async contents(): Promise<Record<string, string>> {
    const { owner } = this.fixtures.market.db
    const tables = await owner<{ name: string }[]>`
      select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any(${[...SERVICES]}) and c.relkind = 'r'
        and c.relname !~ '^(audit_log|bus_|throttles|sign_in_failures)'
      order by 1`
    const digests = tables.map(async ({ name }) => {
      const [row] = await owner.unsafe<[{ digest: string }]>(
        `select md5(coalesce(string_agg(line, '' order by line), '')) as digest
         from (select (to_jsonb(t) - 'sent_at')::text as line from ${name} t) lines`,
      )
      return [name, row.digest] as const
    })
    return Object.fromEntries(await Promise.all(digests))
  }
}

const withoutVarying = (line: string): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(JSON.parse(line)).filter(([name]) => !VARYING_FIELDS.includes(name))),
  )

export async function harness(): Promise<TenancyHarness> {
  const { market, taps, log } = await recordedMarketplace()
  return new TenancyHarness(new Fixtures(market), taps, log)
}

/** What differs between two answers that nobody may tell apart. */
function differences(one: Finding, other: Finding): string[] {
  const names: (keyof Finding)[] = ['status', 'text', 'headers', 'statements', 'log']
  return names
    .filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]))
    .map((name) => `${name}: ${JSON.stringify(one[name])} ≠ ${JSON.stringify(other[name])}`)
}
