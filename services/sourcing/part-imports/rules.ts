import type { PartColumn, PartImport } from '../../../proto/http/sourcing/part-imports.ts'
import type { Part, PartInput } from '../../../proto/http/sourcing/parts.ts'
import {
  contentOf,
  optionKey,
  type PartContent,
  patchedContent,
  referenceProblems,
  writableFields,
} from '../parts/rules.ts'

export interface Row {
  row: number
  cells: Partial<Record<PartColumn, string>>
}

/** What the rows refer to: own parts by reference, at most two of each, and catalog entries by code. */
export interface Known {
  parts: ReadonlyMap<string, readonly Part[]>
  materialTypes: ReadonlyMap<string, string>
  processes: ReadonlyMap<string, { materialType: string; technologyIds: string[] }>
}

type Action = PartImport['rows'][number]['action']
type Problem = PartImport['problems'][number]

/** A row whose part is created, changed or left as it is. */
export interface PlannedRow {
  row: number
  part: Part | undefined
  content: PartContent
  technologyIds: string[]
}

export interface Plan {
  rows: PlannedRow[]
  problems: Problem[]
}

/** The action of a row without problems. */
export const actionOf = ({ part, content }: PlannedRow): Action => {
  if (!part) return 'CREATE'
  // Both have the fields in the order of the schema.
  return JSON.stringify(content) === JSON.stringify(contentOf(writableFields(part))) ? 'NONE' : 'UPDATE'
}

/** What the rows of a table do. `fieldProblems` finds those of each cell by itself. */
export function planOf(
  rows: readonly Row[],
  known: Known,
  {
    fieldProblems,
    canUpdate,
  }: { fieldProblems(cells: object): { field: string; message: string }[]; canUpdate: boolean },
): Plan {
  const plan: Plan = { rows: [], problems: [] }
  const firstRows = new Map<string, number>()
  for (const { row, cells } of rows) {
    const problems = fieldProblems(cells)
    const refuse = (message: string) => problems.push({ field: 'externalRef', message })
    const { externalRef: reference } = cells
    const parts = known.parts.get(reference ?? '') ?? []
    const first = firstRows.get(reference ?? '')
    if (reference === undefined) refuse('is required')
    else if (first !== undefined) refuse(`is that of row ${first}`)
    else if (parts.length > 1) refuse('names more than one of your parts')
    if (reference !== undefined && first === undefined) firstRows.set(reference, row)
    if (problems.length === 0) {
      const planned = plannedRow({ row, part: parts[0], cells: cells as PartInput }, known)
      problems.push(...planned.problems)
      if (!canUpdate && actionOf(planned) === 'UPDATE') refuse('names a part that you may not change')
      if (problems.length === 0) plan.rows.push(planned)
    }
    plan.problems.push(...problems.map((problem) => ({ row, ...problem })))
  }
  return plan
}

/** The content that a row gives its part. Cells without a value keep the fields of a part that exists. */
function plannedRow(
  { row, part, cells }: { row: number; part: Part | undefined; cells: PartInput },
  { materialTypes, processes }: Known,
) {
  const content = part ? patchedContent(part, cells) : contentOf(cells)
  const process = processes.get(content.processId ?? '') ?? null
  const resolved = {
    materialType: materialTypes.get(content.materialId ?? '') ?? null,
    process,
    // A table does not contain these fields, and those of a part that exists were checked when they were written.
    unknown: { standardIds: [], criticalityIds: [], categoryIds: [], unspscCategoryIds: [], businessUnitIds: [] },
    knownOptions: new Set(content.customFields.map(optionKey)),
  }
  const problems = referenceProblems(content, resolved, cells)
  return { row, part, content, technologyIds: process?.technologyIds ?? [], problems }
}
