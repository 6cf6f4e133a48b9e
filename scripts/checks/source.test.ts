import { expect, test } from 'bun:test'
import { importsOf, readSource } from './source.ts'

const bareOf = (text: string) => readSource('x.ts', text).bare.replace(/ +/g, ' ').trim()

test('both views keep every line and position', () => {
  const text = `const a = 'x' // why\n/* two\nlines */ const b = \`t\${a}\`\n`
  const { code, bare } = readSource('x.ts', text)
  expect([code.length, bare.length]).toEqual([text.length, text.length])
  expect(code.split('\n').length).toBe(text.split('\n').length)
})

test('code inside a template stays, its text does not', () => {
  const text = `sql\`select \${ids.map((id) => \`x\${id}\`)} from t\``
  expect(bareOf(text)).toBe(`sql\` \${ids.map((id) => \` \${id}\`)} \``)
})

test('braces inside a template belong to its code', () => {
  const text = `a\`one \${f({ b: { c: 1 } })} two\` + Date.now()`
  expect(bareOf(text)).toBe(`a\` \${f({ b: { c: 1 } })} \` + Date.now()`)
})

test('a slash in a pattern begins no comment, and a quote in it no string', () => {
  expect(bareOf('const p = /[/\'"]\\/\\/x/g\nDate.now()')).toBe('const p = \nDate.now()')
})

test('a division is no pattern', () => {
  expect(bareOf('const half = total / 2 // of it\nconst b = c / d')).toBe('const half = total / 2 \nconst b = c / d')
})

test('an address in a string is no comment', () => {
  expect(readSource('x.ts', "const a = 'http://x' + b").code).toBe("const a = 'http://x' + b")
})

test('imports of every form are found, over several lines too', () => {
  const text = [
    "import a from './a.ts'",
    "import './b.ts'",
    'import {',
    '  c,',
    '  type C,',
    "} from './c.ts'",
    "export { d } from './d.ts'",
    "export * from './e.ts'",
    "const f = await import('./f.ts')",
    'export const none = 1',
    "import type { G } from './g.ts'",
  ].join('\n')
  const found = importsOf(readSource('x.ts', text))
  expect(found.map(({ specifier, line }) => `${specifier}:${line}`)).toEqual([
    './a.ts:1',
    './b.ts:2',
    './c.ts:6',
    './d.ts:7',
    './e.ts:8',
    './f.ts:9',
    './g.ts:11',
  ])
  expect(found[2]?.names).toEqual([
    { name: 'c', isType: false },
    { name: 'C', isType: true },
  ])
  expect(found[6]?.names).toEqual([{ name: 'G', isType: true }])
  expect(found[4]?.names).toBeUndefined()
})
