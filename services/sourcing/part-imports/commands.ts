import {
  MAX_IMPORTED_PARTS,
  type importParts as operation,
  PART_COLUMNS,
  type PartImport,
} from '../../../proto/http/sourcing/part-imports.ts'
import { type Part, PartInput } from '../../../proto/http/sourcing/parts.ts'
import { emitAll } from '../../kit/bus/outbox/emit.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { readCsv } from '../../kit/csv/read.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt, withSerialNumbers } from '../../kit/db/ids.ts'
import { invalid } from '../../kit/errors/refusal.ts'
import { problemFinder } from '../../kit/http/body.ts'
import { batchesOf } from '../../kit/worker/batches.ts'
import { partEvent } from '../parts/events.ts'
import { lockReferences } from '../parts/references.ts'
import * as queries from './queries.ts'
import {
  actionOf,
  type Known,
  MAX_NAME_CHARACTERS,
  type NamedColumn,
  type PlannedRow,
  planOf,
  type Row,
} from './rules.ts'

const LAYOUT = { columns: PART_COLUMNS, required: ['externalRef'], maxRows: MAX_IMPORTED_PARTS } as const

/** Rows of one statement, so that each stays well within its deadline. */
const BATCH_ROWS = 200

const fieldProblems = problemFinder(PartInput)

/** Creates and changes the parts of a table: all of its rows or none. A dry run answers what they would do. */
export async function importParts({
  tx,
  caller,
  body,
  query,
  now,
  audit,
}: CommandOf<typeof operation>): Promise<PartImport> {
  const { orgId, permissions } = caller
  const rows = readCsv(body.csv, LAYOUT)
  await lockReferences(tx, orgId)
  await queries.lockImports(tx, orgId)
  const plan = planOf(rows, await findKnown(tx, orgId, rows), {
    fieldProblems,
    canUpdate: permissions.has('part:update'),
  })
  if (query.dryRun) return dryRunOf(rows, plan)

  if (plan.problems.length > 0) {
    const errors = plan.problems.map(({ row, field, message }) => ({ field: `rows.${row}.${field}`, message }))
    throw invalid(errors)
  }
  const byAction = Object.groupBy(plan.rows, actionOf)
  const created = (byAction.CREATE ?? []).map((row) => ({ ...row, id: newIdAt('part', now) }))
  const updated = (byAction.UPDATE ?? []).map((row) => ({ ...row, id: (row.part as Part).id }))
  for (const batch of batchesOf(created, BATCH_ROWS)) await create(tx, orgId, batch, now)
  for (const batch of batchesOf(updated, BATCH_ROWS)) await update(tx, orgId, batch, now)
  const counts = { created: created.length, updated: updated.length, unchanged: byAction.NONE?.length ?? 0 }
  audit.add(counts)
  const newIds = new Map(created.map(({ row, id }) => [row, id]))
  return {
    ...counts,
    rows: plan.rows.map((planned) => ({
      row: planned.row,
      action: actionOf(planned),
      partId: planned.part?.id ?? (newIds.get(planned.row) as string),
    })),
    problems: [],
  }
}

/** The parts and catalog entries that the rows name; the parts are locked. */
async function findKnown(tx: Tx, orgId: string, rows: readonly Row[]): Promise<Known> {
  const references = rows.flatMap(({ cells: { externalRef } }) => externalRef ?? [])
  const referenced = await queries.findReferenced(tx, orgId, [...new Set(references)])
  const locked = await queries.lockParts(tx, orgId, referenced.map(({ id }) => id).toSorted())
  const documents: Part[] = locked.map(({ document }) => JSON.parse(document))
  const parts = Map.groupBy(documents, ({ externalRef = '' }) => externalRef)
  const textsOf = (name: NamedColumn) => [...new Set(rows.flatMap(({ cells }) => cells[name] ?? []))]
  const usedBy = (name: NamedColumn) => documents.flatMap((part) => part[name] ?? [])
  const [byMaterial, byProcess] = [textsOf('materialId'), textsOf('processId')]
  const materialCodes = await findCodes(
    tx,
    'material_lookup',
    byMaterial,
    await queries.findMaterialTypes(tx, byMaterial),
  )
  const processCodes = await findCodes(tx, 'process_lookup', byProcess, await queries.findProcesses(tx, byProcess))
  const codesOf = (texts: readonly string[], found: typeof materialCodes, used: readonly string[]) => [
    ...new Set([...texts, ...[...found.values()].flat(), ...used]),
  ]
  const materials = await queries.findMaterialTypes(tx, codesOf(byMaterial, materialCodes, usedBy('materialId')))
  const processes = await queries.findProcesses(tx, codesOf(byProcess, processCodes, usedBy('processId')))
  return {
    parts,
    codes: { materialId: materialCodes, processId: processCodes },
    materialTypes: new Map(materials.map(({ code, type }) => [code, type])),
    processes: new Map(
      processes.map((one) => [one.code, { materialType: one.material_type, technologyIds: one.technology_ids }]),
    ),
  }
}

/** The codes of the texts that are the name of entries, and no code. */
async function findCodes(
  tx: Tx,
  catalog: 'material_lookup' | 'process_lookup',
  texts: readonly string[],
  known: readonly { code: string }[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const codes = new Set(known.map(({ code }) => code))
  const names = texts.filter((text) => !codes.has(text) && text.length <= MAX_NAME_CHARACTERS)
  if (names.length === 0) return new Map()
  const found = await queries.findNamed(tx, catalog, names)
  return new Map(found.map((one) => [one.name, one.codes]))
}

function dryRunOf(rows: readonly Row[], { rows: planned, problems, warnings }: ReturnType<typeof planOf>): PartImport {
  const plans = new Map(planned.map((one) => [one.row, one]))
  const answered = rows.map(({ row, cells }) => {
    const plan = plans.get(row)
    const partId = plan?.part?.id
    return { row, action: plan ? actionOf(plan) : ('REFUSE' as const), ...(partId && { partId }), cells }
  })
  const count = (wanted: string) => answered.filter(({ action }) => action === wanted).length
  const counts = { created: count('CREATE'), updated: count('UPDATE'), unchanged: count('NONE') }
  return { ...counts, rows: answered, problems, ...(warnings.length > 0 && { warnings }) }
}

interface WrittenRow extends PlannedRow {
  id: string
}

const columnsOf = (rows: readonly WrittenRow[]) => ({
  ids: rows.map(({ id }) => id),
  contents: rows.map(({ content: { businessUnitIds, customFields, ...content } }) => JSON.stringify(content)),
  technologies: rows.map(({ technologyIds }) => JSON.stringify(technologyIds)),
})

async function create(tx: Tx, orgId: string, rows: readonly WrittenRow[], now: string): Promise<void> {
  await withSerialNumbers('P', rows, (numbered) => {
    const serialNumbers = numbered.map(({ serialNumber }) => serialNumber)
    return queries.insertParts(tx, orgId, { ...columnsOf(numbered), serialNumbers }, now)
  })
  await emitAll(
    tx,
    rows.map(({ id }) => partEvent('created', id, orgId)),
  )
}

async function update(tx: Tx, orgId: string, rows: readonly WrittenRow[], now: string): Promise<void> {
  await queries.updateParts(tx, orgId, columnsOf(rows), now)
  await emitAll(
    tx,
    rows.map(({ id }) => partEvent('updated', id, orgId)),
  )
}
