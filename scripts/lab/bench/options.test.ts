import { expect, test } from 'bun:test'
import { readOptions } from './options.ts'

const SECTIONS = ['parts', 'pages', 'users']
const read = (...args: string[]) => readOptions(args, SECTIONS, ['growth'])

test('no options: all sections over a million parts', () => {
  expect(read()).toMatchObject({ sections: SECTIONS, parts: 1_000_000 })
})

test('--quick: 100,000 parts unless --parts is given', () => {
  expect(read('--quick')).toMatchObject({ parts: 100_000 })
  expect(read('--quick', '--parts=300000')).toMatchObject({ parts: 300_000 })
  expect(read('--parts=10000000', 'pages')).toMatchObject({ sections: ['pages'], parts: 10_000_000 })
})

test('a section on request: measured only where it is named', () => {
  expect(read()).not.toMatchObject({ sections: expect.arrayContaining(['growth']) })
  expect(read('growth', 'users')).toMatchObject({ sections: ['users', 'growth'] })
})

test.each(['--parts', '--parts=', '--parts=1e6', '--parts=99999', '--parts=10000001', '--slow', 'page'])(
  '%p: refused with the usage',
  (word) => expect(() => read(word)).toThrow(/Usage: bun run bench/),
)
