import { expect, test } from 'bun:test'
import { readOptions, SECTIONS } from './options.ts'

test('no options: all sections over a million parts', () => {
  expect(readOptions([])).toEqual({ quick: false, parts: 1_000_000, help: false, sections: new Set(SECTIONS) })
})

test('--quick: 100,000 parts unless --parts is given', () => {
  expect(readOptions(['--quick']).parts).toBe(100_000)
  expect(readOptions(['--quick', '--parts=300000']).parts).toBe(300_000)
  expect(readOptions(['--parts=10000000', 'pages'])).toMatchObject({ quick: false, parts: 10_000_000 })
})

test.each(['--parts', '--parts=', '--parts=1e6', '--parts=99999', '--parts=10000001', '--slow', 'page'])(
  '%p is refused',
  (word) => expect(() => readOptions([word])).toThrow(),
)
