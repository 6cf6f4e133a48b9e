import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { BUN, ROOT } from '../toolchain/checkout.ts'
import { run } from '../toolchain/run.ts'

/** A command that acts fails, because nothing listens at this address. */
const env = { ...process.env, DATABASE_URL: 'postgres://postgres:x@127.0.0.1:1/none', INVOKED_AS: './scripts/x' }
const script = (...words: string[]) => {
  const [name = '', ...args] = words
  return run([BUN, join(ROOT, 'scripts', name.includes('/') ? '' : 'commands', name, 'main.ts'), ...args], { env })
}

const OPERATOR = [
  [],
  ['bootstrap'],
  ['reset-password'],
  ['restore-administrator'],
  ['keys'],
  ['keys', 'rotate'],
  ['keys', 'reencrypt'],
  ['catalog'],
  ['catalog', 'import'],
  ['catalog', 'export'],
  ['webhooks'],
  ['webhooks', 'listen'],
].map((words) => ['operator', ...words])
const OTHERS = ['generate', 'lab/pages', 'migrate', 'republish', 'seed', 'client', 'dev', 'test', 'lab/bench', 'demo']

const ALL = [...OPERATOR, ...OTHERS.map((name) => [name])].map((words) => [words])

/** Any word is the id of a key. */
const TAKE_ANY_WORD = [['operator', 'keys', 'revoke']].map((words) => [words])

test.each([...ALL, ...TAKE_ANY_WORD])('%p --help: describes the command and does not act', async (words) => {
  const { code, output } = await script(...words, '--help')
  expect([code, output]).toEqual([0, expect.stringMatching(/^Usage: /)])
})

test.each(['client', 'dev', 'test', 'operator', 'demo', 'migrate', 'republish'])(
  './scripts/%s --help: the text that is printed without packages',
  async (name) => {
    const { output } = await script(name, '--help')
    expect(output.trimEnd()).toBe(
      (await Bun.file(join(ROOT, 'scripts', 'commands', name, 'help.txt')).text()).trimEnd(),
    )
  },
)

test.each(ALL)('%p with an unknown option or word: refused', async (words) => {
  for (const word of ['--unknown', 'unknown-word']) {
    const { code, output } = await script(...words, word)
    expect([word, code]).not.toEqual([word, 0])
    expect(output.split('\n')[0]).toMatch(
      /unknown|not specified|Missing required argument|Too many arguments|Name each catalog/i,
    )
    expect(output).not.toContain('    at ')
  }
})

test.each(['keys rotate', 'keys reencrypt', 'catalog export materials', 'catalog import --defaults'])(
  'operator %s with a database that does not answer: one sentence with host and reason',
  async (words) => {
    expect(await script('operator', ...words.split(' '))).toEqual({
      code: 1,
      output: 'DATABASE_URL: Postgres on 127.0.0.1:1 does not answer: nothing listens on this port.\n',
    })
  },
)

test.each([
  [['keys', 'rotate', 'now'], "Too many arguments for 'rotate'. Expected 0 arguments but got 1."],
  [['keys', 'rotat'], "Unknown command 'rotat'."],
  [
    ['catalog', 'export', 'materials', 'a.csv', 'b.csv'],
    "Too many arguments for 'export'. Expected 2 arguments but got 3.",
  ],
])('operator %p: refused in a sentence', async (words, sentence) => {
  const { code, output } = await script('operator', ...words)
  expect([code, output.split('\n')[0]]).toEqual([2, sentence])
})
