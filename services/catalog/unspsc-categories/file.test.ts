import { describe, expect, test } from 'bun:test'
import type { FileRecord } from '../files/format.ts'
import { unspscFile } from './file.ts'

const record = (...cells: string[]): FileRecord =>
  Object.fromEntries(unspscFile.header.map((name, index) => [name, cells[index] ?? '']))

const BOLTS = ['31000000', 'Components', '31160000', 'Hardware', '31161600', 'Bolts'] as const

describe('reading', () => {
  test('returns an entry for each of the four levels of a record', () => {
    expect(unspscFile.reader()(record(...BOLTS, '31161610', 'Eye bolts'))).toEqual({
      entries: [
        { id: '31000000', title: 'Components' },
        { id: '31160000', title: 'Hardware' },
        { id: '31161600', title: 'Bolts' },
        { id: '31161610', title: 'Eye bolts' },
      ],
    })
  })

  test('does not return levels of earlier records again', () => {
    const read = unspscFile.reader()
    read(record(...BOLTS, '31161610', 'Eye bolts'))
    expect(read(record(...BOLTS, '31161611', 'Anchor bolts'))).toEqual({
      entries: [{ id: '31161611', title: 'Anchor bolts' }],
    })
  })

  test('accepts a record that ends above the commodity', () => {
    expect(unspscFile.reader()(record('31000000', 'Components', '31160000', 'Hardware'))).toEqual({
      entries: [
        { id: '31000000', title: 'Components' },
        { id: '31160000', title: 'Hardware' },
      ],
    })
  })

  test('refuses a level that contradicts an earlier record', () => {
    const read = unspscFile.reader()
    read(record(...BOLTS, '31161610', 'Eye bolts'))
    expect(read(record('31000000', 'Other'))).toEqual({
      problem: '31000000 was titled "Components" on an earlier line',
    })
  })

  test.each([
    ['a code that is not eight digits', record('3100000', 'Components')],
    ['a code of another level', record('31160000', 'Components')],
    ['a commodity code instead of a class code', record(...BOLTS.slice(0, 4), '31161610', 'Bolts')],
    ['a commodity that ends in zeros', record(...BOLTS, '31161600', 'Bolts')],
    ['a family of another segment', record('31000000', 'Components', '32160000', 'Hardware')],
    ['a class of another family', record('31000000', 'Components', '31160000', 'Hardware', '31171600', 'Bolts')],
    ['a code without a title', record('31000000', '')],
    ['a title without a code', record('31000000', 'Components', '', 'Hardware')],
    ['a level below an empty one', record('31000000', 'Components', '', '', '31161600', 'Bolts')],
    ['an empty record', record()],
  ])('refuses %s', (_, given) => {
    expect(unspscFile.reader()(given)).toHaveProperty('problem')
  })
})

test('writing returns a record for each commodity and each other level without children', () => {
  const write = unspscFile.writer()
  const entries = [
    { id: '31000000', title: 'Components' },
    { id: '31160000', title: 'Hardware' },
    { id: '31161600', title: 'Bolts' },
    { id: '31161610', title: 'Eye bolts' },
    { id: '31161611', title: 'Anchor bolts' },
    { id: '31170000', title: 'Bearings' },
    { id: '32000000', title: 'Electronics' },
  ]
  const records = [...entries, undefined].map((entry) => write(entry)).filter((written) => written !== undefined)
  expect(records).toEqual([
    [...BOLTS, '31161610', 'Eye bolts'],
    [...BOLTS, '31161611', 'Anchor bolts'],
    ['31000000', 'Components', '31170000', 'Bearings', '', '', '', ''],
    ['32000000', 'Electronics', '', '', '', '', '', ''],
  ])
})
