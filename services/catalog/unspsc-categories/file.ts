import { line } from '../files/cells.ts'
import type { Entries, Entry, FileFormat, FileRecord } from '../files/format.ts'
import { depthOf, isCodeOf, LEVELS } from './rows.ts'

const COMMODITY = LEVELS.length - 1

const title = line(500)

/**
 * The file format of the UNSPSC: a record has all four levels of a commodity, and each level becomes a category. The
 * lower levels of a record may be empty, for example for a class without commodities.
 */
export const unspscFile: FileFormat = {
  header: LEVELS.flatMap(({ name }) => [`${name}_code`, `${name}_title`]),
  columns: ['id', 'title'],
  reader,
  writer,
}

/** Remembers the titles of the upper levels, about ten thousand in the full UNSPSC. Commodities are not kept. */
function reader(): (record: FileRecord) => Entries {
  const titles = new Map<string, string>()
  return (record) => {
    const levels = levelsOf(record)
    if ('problem' in levels) return levels
    const known = levels.entries.map(({ id, title }) => ({ id, title, before: titles.get(String(id)) }))
    const differing = known.find(({ title, before }) => before !== undefined && before !== title)
    if (differing) return { problem: `${differing.id} was titled "${differing.before}" on an earlier line` }
    const entries = levels.entries.filter((_, index) => known[index]?.before === undefined)
    for (const { id, title } of levels.entries.slice(0, COMMODITY)) titles.set(String(id), String(title))
    return { entries }
  }
}

/** The filled levels of a record, from the segment down. */
function levelsOf(record: FileRecord): Entries {
  const entries: Entry[] = []
  for (const { name, digits } of LEVELS) {
    const code = record[`${name}_code`] ?? ''
    const text = record[`${name}_title`] ?? ''
    if (code === '' && text === '' && entries.length > 0) break
    if (!isCodeOf(digits, code)) return { problem: `${name}_code must be ${shapeOf(digits)}` }
    const above = String(entries.at(-1)?.id ?? '')
    if (!code.startsWith(above.slice(0, digits - 2))) return { problem: `${name}_code ${code} is not below ${above}` }
    const reading = title(text)
    if ('problem' in reading) return { problem: `${name}_title ${reading.problem}` }
    entries.push({ id: code, title: reading.value })
  }
  const empty = LEVELS.slice(entries.length).find(({ name }) => record[`${name}_code`] || record[`${name}_title`])
  return empty ? { problem: `${empty.name}_code is given, but not the level above it` } : { entries }
}

const shapeOf = (digits: number): string =>
  digits === 8 ? '8 digits, the last two not 00' : `8 digits, the last ${8 - digits} of them 0, the two before not 00`

/** Writes a record for each commodity and for each level without children. */
function writer(): (entry: Entry | undefined) => readonly string[] | undefined {
  let path: Entry[] = []
  return (entry) => {
    const depth = entry === undefined ? 0 : depthOf(String(entry.id))
    const written = path.length > depth ? recordOf(path) : undefined
    path = entry === undefined ? [] : [...path.slice(0, depth), entry]
    return written
  }
}

const recordOf = (path: readonly Entry[]): string[] =>
  LEVELS.flatMap((_, depth) => [String(path[depth]?.id ?? ''), String(path[depth]?.title ?? '')])
