import { PATH_ID } from '../../../proto/http/shapes.ts'

/** The stored value of a cell. */
export type Value = string | number | null | readonly string[]

/** The value of a cell, or its problem, worded to follow the column name. */
type Reading = { value: Value } | { problem: string }

/** Reads a cell of one column. */
export type Cell = (text: string) => Reading

const problem = (text: string): Reading => ({ problem: text })

/** A key that is valid in a path. */
export const key: Cell = (text) =>
  PATH_ID.test(text) ? { value: text } : problem('must be 1 to 64 of A-Z, a-z, 0-9, ".", "_" and "-"')

/** Text of one line. U+FFFD shows that bytes were not UTF-8. */
export const line =
  (maxLength: number): Cell =>
  (text) => {
    if (text === '') return problem('is empty')
    if (text.length > maxLength) return problem(`is longer than ${maxLength} characters`)
    if (/\p{Cc}/u.test(text)) return problem('has a line break or another control character')
    if (text.includes('\ufffd')) return problem('is not UTF-8')
    return { value: text }
  }

/** One of a fixed set of words. */
export const word =
  (words: readonly string[]): Cell =>
  (text) =>
    words.includes(text) ? { value: text } : problem(`is not one of ${words.join(', ')}`)

/** A positive integer. */
export const ordinal: Cell = (text) =>
  /^[1-9]\d{0,8}$/.test(text) ? { value: Number(text) } : problem('is not a positive integer')

/** An optional cell. */
export const optional =
  (cell: Cell): Cell =>
  (text) =>
    text === '' ? { value: null } : cell(text)

/** Separator of the values of a list. */
const SEPARATOR = ';'
const MAX_VALUES = 100

/** A list of distinct values in one cell. An empty cell is an empty list. */
export const listOf =
  (cell: Cell): Cell =>
  (text) => {
    const values: string[] = []
    for (const part of text === '' ? [] : text.split(SEPARATOR)) {
      const reading = cell(part.trim())
      if ('problem' in reading) return problem(`has a value "${part.trim()}" that ${reading.problem}`)
      values.push(String(reading.value))
    }
    const repeated = values.find((value, index) => values.indexOf(value) !== index)
    if (repeated !== undefined) return problem(`names "${repeated}" more than once`)
    if (values.length > MAX_VALUES) return problem(`has more than ${MAX_VALUES} values`)
    return { value: values }
  }

/** The text of a value, which its cell reads as the same value. */
export const written = (value: Value): string => (Array.isArray(value) ? value.join(SEPARATOR) : String(value ?? ''))
