import { jsonOf, onOneLine, printable } from './terminal.ts'

export const FORMATS = ['json', 'table', 'csv'] as const
export type Format = (typeof FORMATS)[number]

export type Values = Readonly<Record<string, unknown>>
type Write = (text: string) => void

const MAX_COLUMN = 40
const DEFAULT_WIDTH = 120
/** What tells records apart comes first in a table, which may have no room for all. */
const FIRST = ['id', 'serialNumber', 'title', 'name', 'email', 'state', 'status']

/** What an answer says beside its items. */
interface Answered {
  hasMore: boolean | undefined
}

interface Table {
  /** The fields of an item, in the order of the document. */
  fields: readonly string[]
  /** The chosen columns, for which a table becomes as wide as they are. */
  columns: readonly string[] | undefined
  write: Write
  width: number | undefined
  /** CSV for a program is exact. */
  isTerminal: boolean
}

/** Writes the items of a list, as they come, in one format. */
export function itemWriter(format: Format, { fields, columns, write, width = DEFAULT_WIDTH, isTerminal }: Table) {
  if (format === 'csv')
    return csvWriter(columns ?? fields, isTerminal ? (text) => write(printable(text.replaceAll('\r\n', '\n'))) : write)
  if (format === 'table') {
    return columns
      ? tableWriter(columns, write, Number.POSITIVE_INFINITY)
      : tableWriter([...new Set([...FIRST.filter((name) => fields.includes(name)), ...fields])], write, width)
  }
  let isFirst = true
  return {
    items(items: readonly Values[]) {
      for (const item of items) {
        write(`${isFirst ? '{"items": [\n' : ',\n'}${jsonOf(item)}`)
        isFirst = false
      }
    },
    end({ hasMore }: Answered) {
      write(`${isFirst ? '{"items": [' : '\n'}]${hasMore === undefined ? '' : `, "hasMore": ${hasMore}`}}\n`)
    },
  }
}

/** CSV of RFC 4180: a value that is a list or an object is JSON. */
function csvWriter(columns: readonly string[], write: Write) {
  const line = (values: readonly string[]) => write(`${values.map(quoted).join(',')}\r\n`)
  line(columns)
  return {
    items: (items: readonly Values[]) => {
      for (const item of items) line(columns.map((column) => textOf(item[column])))
    },
    end(_answered: Answered) {},
  }
}

/** A text that a spreadsheet would take for a formula begins with an apostrophe. */
function quoted(value: string): string {
  const text = /^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Columns as wide as the values of the first page, as many as there is room for. */
function tableWriter(columns: readonly string[], write: Write, width: number) {
  let shown: { name: string; width: number }[] | undefined
  const line = (cells: readonly string[]) =>
    write(
      `${cells
        .map((cell, at) => cut(cell, shown?.[at]?.width ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    )
  return {
    items(items: readonly Values[]) {
      if (!shown) {
        shown = fitting(columns, items, width)
        line(shown.map(({ name }) => name))
      }
      for (const item of items) line(shown.map(({ name }) => cellOf(item[name])))
    },
    end(_answered: Answered) {},
  }
}

function fitting(columns: readonly string[], items: readonly Values[], width: number) {
  const shown: { name: string; width: number }[] = []
  let left = width
  for (const name of columns) {
    const values = items.map((item) => item[name])
    const isNested = values.some((value) => value !== null && typeof value === 'object')
    if (isNested && Number.isFinite(width)) continue
    const longest = Math.max(name.length, ...values.map((value) => cellOf(value).length))
    const needed = Math.min(longest, MAX_COLUMN)
    if (shown.length > 0 && needed + 2 > left) continue
    shown.push({ name, width: needed })
    left -= needed + 2
  }
  return shown
}

const cut = (text: string, width: number) =>
  text.length <= width ? text.padEnd(width) : `${text.slice(0, Math.max(0, width - 1))}…`

const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

const cellOf = (value: unknown) => onOneLine(textOf(value))
