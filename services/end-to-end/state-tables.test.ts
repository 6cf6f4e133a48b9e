import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { CASE } from '../../proto/states/cases.ts'
import { CHANGE_REQUEST } from '../../proto/states/change-requests.ts'
import { ENDPOINT } from '../../proto/states/endpoints.ts'
import { FILE } from '../../proto/states/files.ts'
import { MAIL } from '../../proto/states/mails.ts'
import { OFFER } from '../../proto/states/offers.ts'
import { ORDER } from '../../proto/states/orders.ts'
import { PART } from '../../proto/states/parts.ts'
import { QUESTION } from '../../proto/states/questions.ts'
import { RFQ } from '../../proto/states/rfqs.ts'
import { SALES_AGREEMENT } from '../../proto/states/sales-agreements.ts'
import { SHIPMENT } from '../../proto/states/shipments.ts'
import type { Transition } from '../../proto/states/state-table.ts'
import { SUBSCRIPTION } from '../../proto/states/subscriptions.ts'
import { testDatabase } from '../testing/database.ts'

interface Table {
  states: readonly string[]
  verbs: Readonly<Record<string, Transition>>
}

/** The tables whose state is a column with a check. */
const TABLES: Record<string, { table: Table; column: 'state' | 'status' }> = {
  'sourcing.parts': { table: PART, column: 'state' },
  'sourcing.rfqs': { table: RFQ, column: 'state' },
  'sourcing.rfq_questions': { table: QUESTION, column: 'state' },
  'sourcing.subscriptions': { table: SUBSCRIPTION, column: 'state' },
  'sourcing.offers': { table: OFFER, column: 'state' },
  'sourcing.orders': { table: ORDER, column: 'state' },
  'sourcing.shipments': { table: SHIPMENT, column: 'state' },
  'sourcing.change_requests': { table: CHANGE_REQUEST, column: 'state' },
  'sourcing.sales_agreements': { table: SALES_AGREEMENT, column: 'state' },
  'sourcing.cases': { table: CASE, column: 'state' },
  'sourcing.files': { table: FILE, column: 'state' },
  'organization.mails': { table: MAIL, column: 'state' },
  'webhooks.endpoints': { table: ENDPOINT, column: 'status' },
}
const cases = Object.entries(TABLES).map(([name, { table, column }]) => [name, table, column] as const)

const { owner } = await testDatabase()

test.each(cases)('the check of %s allows the states of its table, and no other', async (name, { states }, column) => {
  const checks = await owner<{ definition: string }[]>`
    select pg_get_constraintdef(oid) as definition from pg_constraint
    where contype = 'c' and conrelid = ${name}::regclass
      and conkey = array[(select attnum from pg_attribute where attrelid = ${name}::regclass and attname = ${column})]`
  const allowed = checks.flatMap(({ definition }) =>
    [...definition.matchAll(/'([^']+)'::text/g)].map(([, word]) => word),
  )
  expect(allowed.toSorted()).toEqual([...states].toSorted())
})

interface Written {
  file: string
  table: string
  from: string[]
  to: string
}

/** Each statement of the services that sets a state to a literal, with the literal states of its conditions. */
async function writtenStates(): Promise<Written[]> {
  const found: Written[] = []
  const root = join(import.meta.dir, '..')
  for await (const file of new Glob('*/**/*.ts').scan({ cwd: root })) {
    if (file.endsWith('.test.ts') || file.startsWith('testing/')) continue
    const text = await Bun.file(join(root, file)).text()
    for (const [statement, table = ''] of text.matchAll(/update (\w+\.\w+)(?: \w+)? set[^`]*/g)) {
      const column = TABLES[table]?.column
      const to = new RegExp(`\\b${column} = '(\\w+)'`).exec(statement.split(/\bwhere\b/)[0] ?? '')?.[1]
      if (!to) continue
      const conditions = statement.slice(statement.search(/\bwhere\b/))
      const from = [...conditions.matchAll(new RegExp(`\\b${column} = '(\\w+)'`, 'g'))].map(([, state = '']) => state)
      found.push({ file, table, from, to })
    }
  }
  return found
}

test('each statement that writes a state follows a verb of the table', async () => {
  const written = await writtenStates()
  expect(written.map(({ table }) => table)).toContain('sourcing.files')
  const without = written.filter(({ table, from, to }) => {
    const verbs = Object.values(TABLES[table]?.table.verbs ?? {})
    return !verbs.some((verb) => verb.to === to && from.every((state) => verb.from.includes(state)))
  })
  expect(without).toEqual([])
})
