/** Units of a file, as its kind names them, and their length in mm. */
export const MILLIMETRES: Readonly<Record<string, number>> = {
  um: 0.001,
  mm: 1,
  cm: 10,
  m: 1000,
  inch: 25.4,
  ft: 304.8,
}

const SI_PREFIXES: Readonly<Record<string, string>> = { MICRO: 'um', MILLI: 'mm', CENTI: 'cm', $: 'm' }
const CONVERSIONS: Readonly<Record<string, string>> = {
  INCH: 'inch',
  IN: 'inch',
  FOOT: 'ft',
  FEET: 'ft',
  FT: 'ft',
  MM: 'mm',
  MILLIMETRE: 'mm',
  MILLIMETER: 'mm',
  CENTIMETRE: 'cm',
  CENTIMETER: 'cm',
  METRE: 'm',
  METER: 'm',
}

const MAX_UNITS = 1000
const MAX_STATEMENT_LENGTH = 500

/**
 * The unit of length that the representation contexts of a STEP file name; `mixed` where they name several. An inch is
 * defined by another unit of length, which no context names.
 */
export function unitOfStep(file: Uint8Array): string {
  const text = new TextDecoder('latin1').decode(file)
  const units = new Map<string, string>()
  for (const statement of statementsWith(text, 'LENGTH_UNIT')) {
    const id = /^\s*#(\d+)\s*=/.exec(statement)?.[1]
    const unit = lengthUnitOf(statement)
    if (id && unit) units.set(id, unit)
  }
  const named = new Set<string>()
  for (const statement of statementsWith(text, 'GLOBAL_UNIT_ASSIGNED_CONTEXT')) {
    const list = /GLOBAL_UNIT_ASSIGNED_CONTEXT\s*\(\s*\(([^()]*)\)/.exec(statement)?.[1] ?? ''
    for (const [, id = ''] of list.matchAll(/#(\d+)/g)) {
      const unit = units.get(id)
      if (unit) named.add(unit)
    }
  }
  const [unit = 'unknown', another] = named
  return another ? 'mixed' : unit
}

function lengthUnitOf(statement: string): string | undefined {
  const conversion = /CONVERSION_BASED_UNIT\s*\(\s*'([^']*)'/.exec(statement)?.[1]
  if (conversion !== undefined) return CONVERSIONS[conversion.trim().toUpperCase()] ?? 'unknown'
  const prefix = /SI_UNIT\s*\(\s*(?:\.(\w+)\.|(\$))\s*,\s*\.METRE\.\s*\)/.exec(statement)
  return prefix ? (SI_PREFIXES[prefix[1] ?? '$'] ?? 'unknown') : undefined
}

/** Statements, each up to its semicolon, that have a word. */
function statementsWith(text: string, word: string): string[] {
  const statements: string[] = []
  for (let at = text.indexOf(word); at >= 0 && statements.length < MAX_UNITS; ) {
    const start = Math.max(text.lastIndexOf(';', at) + 1, at - MAX_STATEMENT_LENGTH)
    const end = text.indexOf(';', at)
    if (end < 0) break
    statements.push(text.slice(start, Math.min(end, at + MAX_STATEMENT_LENGTH)))
    at = text.indexOf(word, end)
  }
  return statements
}

/** By the unit flag of the global section. */
const IGES_FLAGS: Readonly<Record<string, string>> = {
  1: 'inch',
  2: 'mm',
  4: 'ft',
  6: 'm',
  9: 'um',
  10: 'cm',
}
const IGES_UNIT_FIELD = 13
const MAX_GLOBAL_LINES = 1000

/** The unit flag is the fourteenth field of the global section of an IGES file. */
export function unitOfIges(file: Uint8Array): string {
  const text = new TextDecoder('latin1').decode(file.subarray(0, MAX_GLOBAL_LINES * 82))
  const lines = text.split(/\r?\n/).filter((line) => line[72] === 'G')
  const section = lines.map((line) => line.slice(0, 72)).join('')
  return IGES_FLAGS[fieldsOfIges(section)[IGES_UNIT_FIELD] ?? ''] ?? 'unknown'
}

/** Fields of a global section: a text is `<length>H<characters>`, and the first two fields say what separates. */
function fieldsOfIges(section: string): string[] {
  const fields: string[] = []
  let [separator, end] = [',', ';']
  for (let at = 0; at < section.length && fields.length <= IGES_UNIT_FIELD; ) {
    const [hollerith, length] = /^\s*(\d{1,6})H/.exec(section.slice(at, at + 20)) ?? []
    let value = ''
    if (hollerith) {
      at += hollerith.length
      value = section.slice(at, at + Number(length))
      at += Number(length)
    }
    while (at < section.length && section[at] !== separator && section[at] !== end) {
      value += section[at]
      at += 1
    }
    if (section[at] === end && fields.length > 1) break
    at += 1
    fields.push(value.trim())
    if (fields.length === 1) separator = value.trim()[0] ?? separator
    if (fields.length === 2) end = value.trim()[0] ?? end
  }
  return fields
}
