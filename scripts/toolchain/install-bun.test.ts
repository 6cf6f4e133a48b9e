import { afterAll, expect, test } from 'bun:test'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SCRIPT = join(import.meta.dir, 'install-bun.sh')
const folder = await mkdtemp(join(tmpdir(), 'install-bun-'))
afterAll(() => rm(folder, { recursive: true }))

/** A machine with only the shell and these programs, each a short shell script. */
async function machine(name: string, programs: Record<string, string>, words: readonly string[] = []) {
  const checkout = join(folder, name, 'checkout')
  const bin = join(folder, name, 'bin')
  await mkdir(checkout, { recursive: true })
  await mkdir(bin)
  for (const tool of ['bash', 'mkdir', 'rm', 'mv', 'ln', 'id', 'uname', 'chmod', 'cat']) {
    await symlink(Bun.which(tool) ?? tool, join(bin, tool))
  }
  for (const [program, body] of Object.entries(programs)) {
    await writeFile(join(bin, program), `#!/usr/bin/env bash\n${body}\n`)
    await chmod(join(bin, program), 0o755)
  }
  // The shebang lines name `env` by its path; no other program of the machine is reachable.
  await mkdir(join(checkout, 'scripts', 'commands', 'dev'), { recursive: true })
  await writeFile(join(checkout, 'scripts', 'commands', 'dev', 'help.txt'), 'Usage: ./scripts/dev\n')
  const script = `. '${SCRIPT}'; echo "bun is $(bun --version)"`
  const child = Bun.spawn([join(bin, 'bash'), '-euc', script, 'dev', ...words], {
    cwd: checkout,
    env: { PATH: bin, HOME: folder, INVOKED_AS: './scripts/dev' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [printed, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  const left = await readdir(join(checkout, '.cache')).catch(() => [])
  return { code: await child.exited, printed, errors: errors.replace('Installing Bun 1.4.5\n', ''), left }
}

const bun = (version: string) => `echo ${version}`
/** A successful npm: it writes the program into node_modules/.bin. */
const install = (version: string) =>
  `mkdir -p node_modules/.bin && printf '#!/usr/bin/env bash\\necho ${version}\\n' >node_modules/.bin/bun && chmod +x node_modules/.bin/bun`
const node = 'exit 1'

test('the right Bun on PATH: used, nothing is installed', async () => {
  expect(await machine('right', { bun: bun('1.4.5') })).toEqual({
    code: 0,
    printed: 'bun is 1.4.5\n',
    errors: '',
    left: [],
  })
})

test('another version of Bun on PATH: npm installs the right one into .cache', async () => {
  const { code, printed, left } = await machine('other', { bun: bun('1.4.6'), node, npm: install('1.4.5') })
  expect({ code, printed, left }).toEqual({ code: 0, printed: 'bun is 1.4.5\n', left: ['bun'] })
})

test('npm with ignore-scripts: Bun is used from its platform package', async () => {
  const unplaced = `mkdir -p node_modules/.bin node_modules/@oven/bun-x/bin && printf '#!/usr/bin/env bash\\necho 1.4.5\\n' >node_modules/@oven/bun-x/bin/bun && chmod +x node_modules/@oven/bun-x/bin/bun`
  const { code, printed } = await machine('unplaced', { node, npm: unplaced })
  expect({ code, printed }).toEqual({ code: 0, printed: 'bun is 1.4.5\n' })
})

test('without Bun and Node: the message says what to install', async () => {
  const { code, errors } = await machine('bare', {})
  expect(code).toBe(1)
  expect(errors).toBe(
    'Neither Bun nor Node with npm is on PATH: install one of them, everything else is installed by ./scripts/dev.\n',
  )
})

test.each([
  ['offline', 'npm error code ENOTFOUND', /^The package registry cannot be reached: .*\n$/],
  ['full', 'npm error code ENOSPC', /^The disk is full: free 1 GB for .*\n$/],
  [
    'forbidden',
    'npm error code EACCES',
    /cannot be written by .*: run \.\/scripts\/dev as the owner of the checkout\.\n$/,
  ],
])('a failed download (%s): one sentence, and no files remain', async (name, words, sentence) => {
  const { code, errors, left } = await machine(name, { node, npm: `echo '${words}' >&2; exit 1` })
  expect(code).toBe(1)
  expect(errors).toMatch(sentence)
  expect(left).toEqual([])
})

test('an unknown error keeps its own text', async () => {
  const { code, errors } = await machine('unforeseen', { node, npm: 'echo "certificate has expired"; exit 1' })
  expect(code).toBe(1)
  expect(errors).toStartWith('certificate has expired\n')
})

test('a downloaded Bun that does not run: refused', async () => {
  const { code, errors, left } = await machine('foreign', { node, npm: install('Illegal instruction') })
  expect(code).toBe(1)
  expect(errors).toMatch(/was downloaded but does not run here/)
  expect(left).toEqual([])
})

test.each(['--help', '-h'])('%s without Bun: the help, and nothing is installed', async (word) => {
  expect(await machine(`help${word}`, {}, ['--reset', word])).toEqual({
    code: 0,
    printed: 'Usage: ./scripts/dev\n',
    errors: '',
    left: [],
  })
})
