import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import type { PartInput } from '../../../proto/http/sourcing/parts.ts'
import { createPart } from '../../../services/sourcing/parts/commands.ts'
import { serviceUrl } from '../../local/secrets.ts'
import type { Bench } from '../bench.ts'
import { type Figure, ratioFigure } from '../figures.ts'
import { hasPgbench } from '../load/pgbench.ts'
import { databaseSide, serverSide } from '../load/sides.ts'
import { inRounds } from '../rounds.ts'
import { signIn } from '../stage/people.ts'
import { type SentStatement, transactionOf } from '../stage/statements.ts'

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

/** Creating parts, with audit entry, history and event, against the very statements of such a transaction. */
export async function measureCreate(bench: Bench): Promise<Figure[]> {
  if (!hasPgbench()) return []
  const { database, services, account, pace, trial } = bench
  const { accessToken = '' } = await signIn(services.identity.url, account)
  const { org, sub } = decodeJwt(accessToken)
  const url = serviceUrl(database.ownerUrl, 'sourcing', database.secrets)
  const statements = await transactionOf(url, (sql) => create(sql, String(org), String(sub)))
  const script = join(database.folder, 'create.sql')
  await writeFile(script, `\\set n random(1, 9000000000000000)\n${statements.map(asLine).join('')}`)
  const request = {
    method: 'POST' as const,
    path: '/v1/parts',
    headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(PART),
  }
  const ours = await serverSide({ port: services.sourcing.port, request }, trial)
  const side = await databaseSide({ url, script, variables: {} }, trial)
  const rates = await inRounds({ ours: ours.run, pgbench: side.run }, pace)
  return [
    ratioFigure({
      what: 'POST /v1/parts ÷ its transaction in pgbench',
      ours: rates.ours,
      reference: rates.pgbench,
      against: `pgbench, ${side.clients} clients`,
      atLeast: 0.4,
    }),
  ]
}

/** The command itself, as a request of the account would run it. */
const create = (sql: Parameters<typeof createPart>[0]['sql'], orgId: string, userId: string) =>
  createPart(
    { sql, clock: Date.now },
    {
      caller: {
        orgId,
        userId,
        sessionId: 'bench',
        permissions: new Set(),
        orgRoles: new Set(),
        operator: false,
      },
      body: PART,
      idempotencyKey: undefined,
      audit: {
        procedure: 'part.create',
        orgId,
        actorId: userId,
        grantId: undefined,
        ipAddress: '127.0.0.1',
        userAgent: undefined,
        request: { ...PART },
      },
    },
  )

/** What has to differ from one transaction to the next. */
const UNIQUE = /(?:part|evt|audit)_[0-9A-HJKMNP-TV-Z]{26}|P-[0-9A-HJKMNP-TV-Z]{8}/g

function asLine({ text, parameters }: SentStatement): string {
  return `${text.trim().replaceAll(/\$(\d+)/g, (_, number) => asExpression(parameters[Number(number) - 1]))};\n`
}

function asExpression(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  const quoted = `'${asText(value).replaceAll("'", "''")}'`
  // pgbench takes a colon before a letter for a variable of its own, inside quotes too.
  const literal = /:[A-Za-z_]/.test(quoted) ? `(${quoted.replaceAll(/:(?=[A-Za-z_])/g, ":' || '")})` : quoted
  return [...new Set(literal.match(UNIQUE))].reduce(
    (expression, name) => `replace(${expression}, '${name}', concat('${name.slice(0, 4)}', :n::text))`,
    literal,
  )
}

/** As Postgres writes a value of its type. */
const asText = (value: unknown): string =>
  Array.isArray(value) ? `{${value.map((item) => JSON.stringify(asText(item))).join(',')}}` : String(value)
