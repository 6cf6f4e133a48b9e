import type { PartColumn, PartImport } from '../../../proto/http/sourcing/part-imports.ts'
import type { Part, PartInput } from '../../../proto/http/sourcing/parts.ts'
import { noSuch } from '../../../proto/messages.ts'
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

/** The columns whose cells name an entry of a catalog, by its code or its name. */
const NAMED = { materialId: 'material', processId: 'process' } as const
export type NamedColumn = keyof typeof NAMED

/** Texts that are longer name no entry. */
export const MAX_NAME_CHARACTERS = 200
/** Codes that the problem of a name lists. */
const MAX_LISTED = 5

/** What the rows refer to: own parts by reference, at most two of each, and catalog entries by code. */
export interface Known {
  /** The codes of the texts that are no code, but the name of entries. */
  codes: Readonly<Record<NamedColumn, ReadonlyMap<string, readonly string[]>>>
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
  /** What does not prevent the import. */
  warnings: Problem[]
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
  { fieldProblems, canUpdate }: { fieldProblems: FieldProblems; canUpdate: boolean },
): Plan {
  const plan: Plan = { rows: [], problems: [], warnings: [] }
  const firstRows = new Map<string, number>()
  for (const { row, cells: texts } of rows) {
    const { cells, problems } = withCodes(texts, known, fieldProblems)
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
      if (problems.length === 0 && !planned.part && planned.content.title === undefined) {
        plan.warnings.push({ row, field: 'title', message: 'is missing, so the part cannot be published yet' })
      }
    }
    plan.problems.push(...problems.map((problem) => ({ row, ...problem })))
  }
  return plan
}

type FieldProblems = (cells: object) => { field: string; message: string }[]

/** The cells of a row with codes for names, and what is wrong with each by itself. */
function withCodes(texts: Row['cells'], { codes }: Known, fieldProblems: FieldProblems) {
  const cells = { ...texts }
  const problems: { field: string; message: string }[] = []
  for (const [field, what] of Object.entries(NAMED) as [NamedColumn, string][]) {
    const text = texts[field]
    const named = codes[field].get(text ?? '') ?? []
    if (named.length === 1) cells[field] = named[0] as string
    if (named.length > 1) {
      const listed = named.slice(0, MAX_LISTED).map((code) => `\`${code}\``)
      const more = named.length > MAX_LISTED ? ' and more' : ''
      problems.push({ field, message: `is the name of more than one ${what}: ${listed.join(', ')}${more}` })
    }
  }
  const ambiguous = new Set(problems.map(({ field }) => field))
  const others = fieldProblems(cells).flatMap(({ field, message }) => {
    if (ambiguous.has(field)) return []
    const what = NAMED[field as NamedColumn]
    const text = texts[field as NamedColumn] ?? ''
    // Names have another form than codes.
    return [{ field, message: what && text.length <= MAX_NAME_CHARACTERS ? noSuch(what, text) : message }]
  })
  return { cells, problems: [...problems, ...others] }
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
