import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ROOT } from '../toolchain/checkout.ts'
import { run } from '../toolchain/run.ts'

const read = (file: string) => Bun.file(join(ROOT, file)).text()
const git = async (...words: string[]) => (await run(['git', ...words], { cwd: ROOT })).output.trim().split('\n')
const tracked = await git('ls-files')

/** Patterns of a file that gives each a word or more, without comments. */
const patternsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/\s+/))

const matches = (pattern: string) => {
  const glob = pattern.replace(/^\//, '').replace(/\/$/, '/**')
  return tracked.some((file) => new Bun.Glob(pattern.startsWith('/') ? glob : `**/${glob}`).match(file))
}

test.each(['.github/CODEOWNERS', '.gitattributes'])('each pattern of %s has files, and a value', async (file) => {
  const patterns = patternsOf(await read(file))
  expect(patterns.length).toBeGreaterThan(3)
  expect(patterns.filter(([pattern = '', ...values]) => !matches(pattern) || values.length === 0)).toEqual([])
})

test('no text in the repository has line ends of Windows', async () => {
  expect((await git('ls-files', '--eol')).filter((line) => /^i\/(crlf|mixed)/.test(line))).toEqual([])
})

test('no file is a symbolic link, which could lead out of a checkout', async () => {
  expect((await git('ls-files', '--stage')).filter((line) => line.startsWith('120000 '))).toEqual([])
})

describe('forms of issues', () => {
  const forms = tracked.filter((file) => /^\.github\/ISSUE_TEMPLATE\/(?!config)/.test(file))
  test('are there', () => expect(forms.length).toBe(2))

  test.each(forms)('%s has a name, a description, and fields with labels', async (file) => {
    const form = Bun.YAML.parse(await read(file)) as {
      name: string
      description: string
      body: { type: string; id?: string; attributes: { label?: string } }[]
    }
    expect([form.name, form.description].every((text) => text.length > 3)).toBe(true)
    const fields = form.body.filter(({ type }) => type !== 'markdown')
    expect(fields.filter(({ id, attributes }) => !id || !attributes.label)).toEqual([])
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length)
  })
})

test('the README and CONTRIBUTING lead to the rules of conduct and of security', async () => {
  expect(await read('CONTRIBUTING.md')).toContain('(CODE_OF_CONDUCT.md)')
  expect(await read('README.md')).toContain('(SECURITY.md)')
  expect(await read('CODE_OF_CONDUCT.md')).toContain('(SECURITY.md)')
})
