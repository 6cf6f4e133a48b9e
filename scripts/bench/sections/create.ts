import type { PartInput } from '../../../proto/http/sourcing/parts.ts'
import { compareRates } from '../compare.ts'
import type { Section } from '../context.ts'
import { clientSide } from '../load/http.ts'
import { pgbenchSide } from '../load/pgbench.ts'
import { signIn } from '../stage/accounts.ts'
import { capture, type LoggedStatement } from '../statements.ts'

const PART: PartInput = {
  title: 'Impeller, cooling water pump',
  externalRef: 'DRW-4711-B',
  description: 'Closed impeller with six vanes, 120 mm.',
  materialId: '316l',
  processId: 'pbf-metal',
  standardIds: ['iso-astm-52901'],
  categoryIds: ['iso-14224-pu'],
  keywords: ['impeller', 'pump'],
  boundingBox: { x: 120, y: 120, z: 45.5 },
  metadata: { pump: 'P-101A' },
}

/** Creating parts, with audit entry, history and event, against the statements of that transaction in pgbench. */
export const measureCreate: Section = async function* (context) {
  const { database, pace } = context
  const client = await signIn(context, 'sourcing')
  const create = async () => {
    const { status, text } = await client.post('/v1/parts', PART)
    if (status !== 200) throw new Error(`POST /v1/parts: ${status} ${text}`)
  }
  await create()
  const transaction = transactionOf(await capture(database, create))
  const script = { text: `\\set n random(1, 9000000000000000)\n${transaction.map(asLine).join('')}` }
  const headers = { 'Content-Type': 'application/json' }
  const request = { method: 'POST', path: '/v1/parts', headers, body: JSON.stringify(PART) }
  yield* compareRates({
    what: 'POST /v1/parts',
    ours: clientSide(client, request),
    references: [{ name: 'its transaction in pgbench', side: pgbenchSide(database, 'sourcing', script), atLeast: 0.4 }],
    pace,
  })
}

/** The statements from `begin` to `commit` of the connection that inserted the part. */
function transactionOf(statements: readonly LoggedStatement[]): LoggedStatement[] {
  const inserted = statements.find(({ text }) => /insert into sourcing\.parts\b/i.test(text))
  if (!inserted) throw new Error('the log of Postgres shows no statement that creates a part')
  const own = statements.filter(({ pid }) => pid === inserted.pid)
  const at = own.indexOf(inserted)
  const begin = own.findLastIndex(({ text }, position) => position <= at && /^\s*begin\b/i.test(text))
  const commit = own.findIndex(({ text }, position) => position >= at && /^\s*commit\b/i.test(text))
  if (begin < 0 || commit < 0) throw new Error('the log of Postgres shows no transaction that creates a part')
  return own.slice(begin, commit + 1)
}

/** Ids and serial numbers, which differ in each transaction. */
const UNIQUE = /(?:part|evt|audit)_[0-9A-HJKMNP-TV-Z]{26}|P-[0-9A-HJKMNP-TV-Z]{8}/g

const asLine = ({ text, parameters }: LoggedStatement) =>
  `${text.trim().replaceAll(/\$(\d+)/g, (_, number) => asExpression(parameters[Number(number) - 1]))};\n`

function asExpression(value: string | null | undefined): string {
  if (value === null || value === undefined) return 'null'
  const quoted = `'${value.replaceAll("'", "''")}'`
  // pgbench reads a colon before a letter as a variable, inside quotes too.
  const literal = /:[A-Za-z_]/.test(quoted) ? `(${quoted.replaceAll(/:(?=[A-Za-z_])/g, ":' || '")})` : quoted
  return [...new Set(literal.match(UNIQUE))].reduce(
    (expression, name) => `replace(${expression}, '${name}', concat('${name.slice(0, 4)}', :n::text))`,
    literal,
  )
}
