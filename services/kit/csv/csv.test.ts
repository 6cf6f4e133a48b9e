import { describe, expect, test } from 'bun:test'
import { Refusal } from '../errors/refusal.ts'
import { readCsv } from './read.ts'
import { csvOf } from './write.ts'

const layout = { columns: ['ref', 'title', 'note'], required: ['ref'], maxRows: 3 } as const
const read = (csv: string) => readCsv(csv, layout)

function problemsOf(csv: string) {
  try {
    read(csv)
  } catch (error) {
    if (error instanceof Refusal) return error.errors?.map(({ field, message }) => `${field} ${message}`)
    throw error
  }
  return []
}

describe('a file', () => {
  test.each([
    ['comma', 'ref,title\nA-1,"Hub, small"\n'],
    ['semicolon', 'ref;title\r\nA-1;"Hub, small"\r\n'],
    ['tab', 'ref\ttitle\nA-1\tHub, small\n'],
    ['a first line that names the separator', 'sep=;\nref;title\nA-1;Hub, small'],
    ['a byte order mark', '\ufeffref,title\nA-1,"Hub, small"'],
    ['white space and other case in the header', ' Ref , TITLE \n A-1 ,"Hub, small"'],
    ['a column without a name', 'ref,title,\nA-1,"Hub, small",'],
  ])('with %s is read', (_, csv) => {
    expect(read(csv)).toEqual([{ row: 2, cells: { ref: 'A-1', title: 'Hub, small' } }])
  })

  test('numbers its rows as a spreadsheet does: empty ones count, those of a cell with lines do not', () => {
    expect(read('ref,note\n\nA-1,"one\ntwo"\n,\nA-2,\n')).toEqual([
      { row: 3, cells: { ref: 'A-1', note: 'one\ntwo' } },
      { row: 5, cells: { ref: 'A-2' } },
    ])
  })

  test.each([
    ['ref,titel\nA-1,x', ['csv has an unknown name in column 2; did you mean `title`?']],
    ['title\nx', ['csv must have the column `ref`']],
    ['ref,REF\nA-1,A-2', ['csv has the column `ref` twice']],
    ['ref,title\n', ['csv must have a row below its header']],
    ['', ['csv must have the column `ref`']],
    ['ref\nA\nB\nC\nD', ['csv must have at most 3 rows']],
    [`ref\n${'\n'.repeat(10)}`, ['csv must have at most 9 rows with the empty ones']],
    [`ref${',x'.repeat(100)}\nA`, ['csv must have at most 100 columns']],
    ['ref,title\nA-1,x,y', ['rows.2 has more cells than the header']],
    ['ref,title\nA-1,"x\n', ['csv is malformed near line 2: a quoted cell does not end properly']],
  ])('%j is refused', (csv, problems) => {
    expect(problemsOf(csv)).toEqual(problems)
  })
})

describe('a cell that a spreadsheet would calculate', () => {
  const FORMULAS = ['=1+1', '+1', '-1', '@SUM(A1)', "'=1", "''=1", '＝1']
  test('has an apostrophe in a written file', () => {
    expect(csvOf([['=1+1', '\t=1', "'=1", "'s-Hertogenbosch", 'a=b', -1]], { bom: false })).toBe(
      "'=1+1,'\t=1,''=1,'s-Hertogenbosch,a=b,-1\r\n",
    )
  })

  test('is the same again when the file is read', () => {
    const csv = csvOf([['ref', 'title'], ...FORMULAS.slice(0, 3).map((formula) => [formula, "it's"])])
    expect(read(csv).map(({ cells }) => cells)).toEqual(FORMULAS.slice(0, 3).map((ref) => ({ ref, title: "it's" })))
    const others = csvOf([['ref'], ...FORMULAS.slice(3, 6).map((formula) => [formula])])
    expect(read(others).map(({ cells }) => cells)).toEqual(FORMULAS.slice(3, 6).map((ref) => ({ ref })))
  })
})

test.each([
  ['empty rows', `ref\n${'\n'.repeat(950_000)}`, 'csv must have at most 9 rows with the empty ones'],
  ['rows', `ref\n${'a\n'.repeat(475_000)}`, 'csv must have at most 9 rows with the empty ones'],
  ['columns', `ref${',b'.repeat(500_000)}`, 'csv must have at most 100 columns'],
])('of a megabyte of %s only the first ones are read', (_, csv, problem) => {
  expect(problemsOf(csv)).toEqual([problem])
})
