import { expect, test } from 'bun:test'
import { readGuides } from './guides.ts'

const guides = await readGuides('https://market.example.com')
const PROGRAM = /^\/\/ \S+\.ts/
const DECLARATION = /^(?:const|let|function|async function|class) (\{[^}]*\}|\[[^\]]*\]|\w+)/gm

/** The names that the TypeScript samples of a guide declare, without those of whole programs. */
const namesOf = (markdown: string) =>
  [...markdown.matchAll(/```ts\n([\s\S]*?)```/g)]
    .map(([, block = '']) => block)
    .filter((block) => !PROGRAM.test(block))
    .flatMap((block) => [...block.matchAll(DECLARATION)])
    .flatMap(([, pattern = '']) => pattern.replace(/[{}[\]]/g, '').split(','))
    .map((binding) => /(\w+)\s*(?:=.*)?$/.exec(binding.trim())?.[1] ?? '')
    .filter((name) => name !== '')

const first = namesOf(guides.find(({ name }) => name === 'getting-started')?.markdown ?? '')

test('getting started declares names', () => {
  expect(first).toContain('send')
})

test.each(guides.map(({ name, markdown }) => [name, markdown] as const))(
  'the TypeScript of %s can be pasted after that of getting started',
  (name, markdown) => {
    const names = namesOf(markdown)
    expect(names.filter((each, at) => names.indexOf(each) !== at)).toEqual([])
    if (name !== 'getting-started') expect(names.filter((each) => first.includes(each))).toEqual([])
  },
)
