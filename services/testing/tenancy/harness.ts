import { SERVICES } from '../../../proto/services.ts'
import type { CapturedLog } from '../captured-log.ts'
import { type Account, Fixtures, type Kind } from '../fixtures.ts'
import type { Documented } from '../operations/document.ts'
import { type Input, targetOf } from '../operations/inputs.ts'
import type { Probe } from '../operations/samples.ts'
import { sharedRecord } from '../operations/shared-records.ts'
import { recordKind } from '../records.ts'
import { common, recordedMarketplace, type StatementLog } from '../statement-log.ts'

/** The observable effects of a request. */
export interface Observation {
  status: number
  text: string
  headers: Record<string, string>
  statements: string[]
  log: string[]
}

interface Comparison {
  differences: string[]
  second: Observation | undefined
}

/** Fixed, so that equal responses differ only in the request path. */
const REQUEST_ID = 'probe'
const VARYING_HEADERS = ['date', 'ratelimit']
const VARYING_FIELDS = ['time', 'ms']
const TRIES = 8
/** Shorter than every private value. */
const KEY_LENGTH = 12

/** Compares requests by their response bytes, their SQL statements and their log lines. */
class TenancyHarness {
  readonly fixtures: Fixtures
  readonly #statements: StatementLog
  readonly #log: CapturedLog
  /** The private values that were created, by their end, so that one pass over a text finds all of them. */
  readonly #created = new Map<string, { orgId: string; value: string }[]>()

  constructor(fixtures: Fixtures, statements: StatementLog, log: CapturedLog) {
    this.fixtures = fixtures
    this.#statements = statements
    this.#log = log
  }

  /** Creates a record of the account. */
  async own({ record }: Probe, account: Account): Promise<unknown> {
    return this.#remember(account.orgId, await recordKind(record).make(this.fixtures, account))
  }

  /** A record of the account that is only read. */
  async shared({ record }: Probe, account: Account): Promise<unknown> {
    return this.#remember(account.orgId, await sharedRecord(this.fixtures, record, account))
  }

  /** A record of another organization, created once. */
  foreign({ record }: Probe, account: Account): Promise<unknown> {
    const owners: readonly Kind[] = recordKind(record).owners
    const kind = owners.find((other) => other !== account.kind)
    if (!kind) throw new Error(`${record}: no other kind of organization can have one`)
    return this.fixtures.once(`foreign ${record} of ${kind}`, async () => {
      const owner = await this.fixtures.account(kind, 'administrator')
      return this.#remember(owner.orgId, await sharedRecord(this.fixtures, record, owner))
    })
  }

  #remember(orgId: string, value: unknown): unknown {
    const values = typeof value === 'string' ? [value] : Object.values(value as Record<string, string>)
    for (const each of values) {
      if (each.length < KEY_LENGTH) throw new Error(`${each} is too short to be searched for`)
      const end = each.slice(-KEY_LENGTH)
      const known = this.#created.get(end) ?? []
      if (!known.some(({ value: other }) => other === each)) this.#created.set(end, [...known, { orgId, value: each }])
    }
    return value
  }

  /** Sends a request, with no other request in flight, and observes its effects. */
  async observe(account: Account, operation: Documented, input: Input): Promise<Observation> {
    this.#statements.take()
    const logged = this.#log.texts.length
    const answer = await account.client.send(operation.method, targetOf(operation, input), {
      headers: { 'x-request-id': REQUEST_ID, 'x-forwarded-for': '10.0.0.1', ...input.headers },
      body: input.body,
    })
    return {
      status: answer.status,
      text: withoutSentIds(answer.text.replace(/"instance":"[^"]*"/, '"instance":""'), input.body),
      headers: Object.fromEntries([...answer.headers].filter(([name]) => !VARYING_HEADERS.includes(name))),
      statements: this.#statements.take(),
      log: this.#log.texts.slice(logged).map(withoutVarying),
    }
  }

  /**
   * Sends two requests and returns their differences, with the last observation of the second. Workers can execute
   * statements at any time, so differing requests are repeated, and only statements that occur every time are compared.
   */
  async compare(account: Account, operation: Documented, inputs: () => [Input, Input]): Promise<Comparison> {
    let [found, second]: [string[], Observation | undefined] = [[], undefined]
    let statements: [string[], string[]] | undefined
    for (let tries = 0; tries < TRIES; tries++) {
      const [input, otherInput] = inputs()
      const one = await this.observe(account, operation, input)
      const other = await this.observe(account, operation, otherInput)
      second = other
      statements = [common(statements?.[0], one.statements), common(statements?.[1], other.statements)]
      found = [
        ...differences({ ...one, statements: statements[0] }, { ...other, statements: statements[1] }),
        ...this.leaksIn(one.text, account, input),
      ]
      if (found.length === 0) break
    }
    return { differences: found.map((difference) => `${account.name}: ${difference}`), second }
  }

  /** Private values of other organizations that are in the response and not in the request. */
  leaksIn(text: string, account: Account, sent: Input): string[] {
    const found = new Set<string>()
    for (let at = 0; at + KEY_LENGTH <= text.length; at++) {
      for (const { orgId, value } of this.#created.get(text.slice(at, at + KEY_LENGTH)) ?? []) {
        if (orgId !== account.orgId && text.includes(value)) found.add(value)
      }
    }
    const requested = found.size === 0 ? '' : JSON.stringify(sent)
    return [...found].filter((value) => !requested.includes(value))
  }

  /** Digests of all tables except those of refusals (audit log, throttling), of the bus and of pagination. */
  async contents(): Promise<Record<string, string>> {
    const { owner } = this.fixtures.market.db
    const tables = await owner<{ name: string }[]>`
      select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any(${[...SERVICES]}) and c.relkind = 'r'
        and c.relname !~ '^(audit_log|bus_|throttles|sign_in_failures|page_cursors)'
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
  const { market, statements, log } = await recordedMarketplace()
  return new TenancyHarness(new Fixtures(market), statements, log)
}

/** The differences between two observations that should be equal. */
function differences(one: Observation, other: Observation): string[] {
  const names: (keyof Observation)[] = ['status', 'text', 'headers', 'statements', 'log']
  return names
    .filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]))
    .map((name) => `${name}: ${JSON.stringify(one[name])} ≠ ${JSON.stringify(other[name])}`)
}

/** An error may name an id that the request contained, and nothing else may depend on it. */
const withoutSentIds = (text: string, body: unknown): string =>
  textsIn(body).reduce((rest, sent) => rest.replaceAll(`\`${sent}\``, '`id`'), text)

function textsIn(node: unknown): string[] {
  if (typeof node === 'string') return [node]
  return node !== null && typeof node === 'object' ? Object.values(node).flatMap(textsIn) : []
}
