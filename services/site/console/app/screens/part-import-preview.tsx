import type { Part, PartImport } from '../api.ts'
import { labelIn, materials, processes } from '../catalogs.ts'
import { useOnce } from '../data.ts'
import { number } from '../format.ts'
import { fill, problemText, t } from '../texts.ts'
import { readInBatches } from './parts.tsx'

type Row = PartImport['rows'][number]
type Cells = NonNullable<Row['cells']>
type Found = PartImport['problems'][number]

const ORDER: readonly Row['action'][] = ['REFUSE', 'UPDATE', 'CREATE', 'NONE']
const TONES: Partial<Record<Row['action'], string>> = { REFUSE: 'bad', UPDATE: 'live', CREATE: 'good' }

/** Problems beyond these are in the table only. */
const MAX_LISTED = 50
const MAX_SUGGESTED = 3

/** The columns that the table has, in the order of the rows. */
const columnsOf = (rows: readonly Row[]) => [
  ...new Set(rows.flatMap(({ cells }) => Object.keys(cells ?? {}) as (keyof Cells)[])),
]

const catalogOf = (column: string) =>
  column === 'materialId' ? materials() : column === 'processId' ? processes() : undefined

/** What a message says; for an unknown name also the names of the catalog that contain it. */
function textOf({ field, message }: Found): string {
  const unknown = /^there is no \w+ `(.+?)`/.exec(message)?.[1]?.toLowerCase()
  const entries = unknown === undefined ? [] : (catalogOf(field) ?? [])
  const names = entries.map(([, name]) => name).filter((name) => name.toLowerCase().includes(unknown ?? ''))
  if (names.length === 0) return problemText(message)
  return `${problemText(message)} ${fill(t.imports.didYouMean, { names: names.slice(0, MAX_SUGGESTED).join('; ') })}`
}

/** The texts of problems or warnings by row and column. */
const textsOf = (found: readonly Found[]) => new Map(found.map((each) => [`${each.row} ${each.field}`, textOf(each)]))

/** The parts that rows change, by id, once they are read. */
function useParts(rows: readonly Row[]): ReadonlyMap<string, Part> {
  const ids = rows.flatMap(({ action, partId }) => (action === 'UPDATE' && partId ? [partId] : []))
  // Without them, the new values are shown alone.
  const { data: parts = [] } = useOnce(ids.join(), () => readInBatches(ids))
  return new Map(parts.map((part) => [part.id, part]))
}

/** What a cell replaces, as it is shown; undefined where the cell changes nothing. */
function replacedBy(column: keyof Cells, cell: string | undefined, part: Part | undefined): string | undefined {
  if (!cell || !part) return undefined
  const old = part[column] ?? ''
  const shown = labelIn(catalogOf(column) ?? [], old) ?? ''
  const isSame = [old, shown].some((text) => text.toLowerCase() === cell.toLowerCase())
  return catalogOf(column) ? (isSame ? undefined : shown) : cell === old ? undefined : old
}

/** The problems as a list, which is easier to work through than the cells of a wide table. */
export function Problems({ problems }: { problems: readonly Found[] }) {
  return (
    <ul class="changes" aria-label={t.imports.problems}>
      {problems.slice(0, MAX_LISTED).map((each) => (
        <li key={`${each.row} ${each.field}`}>
          {fill(t.imports.problemAt, { row: number(each.row), column: each.field })} {textOf(each)}
        </li>
      ))}
      {problems.length > MAX_LISTED && (
        <li>{fill(t.imports.moreProblems, { count: number(problems.length - MAX_LISTED) })}</li>
      )}
    </ul>
  )
}

/** The rows of a table with what each does; a wrong cell says what is wrong, and one with a warning what is missing. */
export function Preview({ rows, problems, warnings = [] }: PartImport) {
  const marked = [...problems, ...warnings].map(({ field }) => field as keyof Cells)
  const columns = [...new Set([...columnsOf(rows), ...marked])]
  const [messages, hints] = [textsOf(problems), textsOf(warnings)]
  const parts = useParts(rows)
  const ordered = rows.toSorted((one, other) => ORDER.indexOf(one.action) - ORDER.indexOf(other.action))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard.
    <section class="scroll" tabIndex={0} aria-label={t.imports.rows}>
      <table class="compared sheet imported">
        <caption>{t.imports.preview}</caption>
        <thead>
          <tr>
            <th scope="col">{t.imports.row}</th>
            <th scope="col">{t.imports.action}</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ordered.map(({ row, action, partId = '', cells = {} }) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              <td>
                <span class={`badge ${TONES[action] ?? ''}`}>{t.imports.actions[action]}</span>
              </td>
              {columns.map((column) => {
                const [message, hint] = [messages.get(`${row} ${column}`), hints.get(`${row} ${column}`)]
                const old = action === 'UPDATE' ? replacedBy(column, cells[column], parts.get(partId)) : undefined
                return (
                  <td key={column} class={message ? 'wrong' : ''}>
                    <span class="cell">
                      {old === undefined ? (
                        cells[column]
                      ) : (
                        <span class="changes">
                          <del>{old || '–'}</del> → <ins>{cells[column]}</ins>
                        </span>
                      )}
                    </span>
                    {message && <small class="error">{message}</small>}
                    {hint && <small class="quiet">{hint}</small>}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
