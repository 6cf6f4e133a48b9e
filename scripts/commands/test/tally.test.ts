import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tallyOf } from './tally.ts'

const root = await mkdtemp(join(tmpdir(), 'tally-'))
afterAll(() => rm(root, { recursive: true }))

const LINE = "import { afterAll, expect, test } from 'bun:test'\n"
const SAMPLES: Record<string, string> = {
  'good.test.ts': "test('one', () => {}); test('two', () => {})",
  'bad.test.ts': "test('one', () => { expect(1).toBe(2) }); test('two', () => {})",
  'killed.test.ts': "test('one', () => {}); test('two', () => { process.kill(process.pid, 'SIGKILL') })",
  'exits.test.ts': "test('one', () => { process.exit(0) })",
  'unloadable.test.ts': "test('one', () => {}); throw new Error('at load')",
  'empty.test.ts': 'export {}',
  'after.test.ts': "test('one', () => {}); afterAll(() => { throw new Error('after') })",
  'stray.test.ts': "test('one', async () => { setTimeout(() => { throw new Error('stray') }); await Bun.sleep(20) })",
}

/** Runs real test files as scripts/test does. */
async function tally(...files: string[]) {
  for (const file of files) await Bun.write(join(root, file), LINE + SAMPLES[file])
  const report = join(root, 'report.xml')
  await rm(report, { force: true })
  const paths = files.map((file) => `./${file}`)
  const child = Bun.spawn(
    [process.execPath, 'test', '--parallel=2', '--reporter=junit', `--reporter-outfile=${report}`, ...paths],
    { cwd: root, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
  )
  const code = await child.exited
  return tallyOf(await Bun.file(report).text(), files, code)
}

test('tests that pass are counted', async () => {
  expect(await tally('good.test.ts')).toEqual({ passed: 2, failed: 0, skipped: 0, failures: [] })
})

test.each([
  [
    'bad.test.ts',
    3,
    1,
    /^bad\.test\.ts:2 one\n {4}AssertionError: expect\(received\)\.toBe\(expected\)\n {4}Expected: 2\n/,
  ],
  ['killed.test.ts', 3, 1, /^killed\.test\.ts \(worker crashed\)\n {4}worker process crashed/],
  ['exits.test.ts', 2, 1, /^exits\.test\.ts/],
  ['unloadable.test.ts', 2, 1, /^unloadable\.test\.ts reported no test$/],
  ['empty.test.ts', 2, 1, /^empty\.test\.ts reported no test$/],
  ['after.test.ts', 3, 1, /^after\.test\.ts/],
  ['stray.test.ts', 2, 1, /^stray\.test\.ts/],
])('%s: counted and named as failed, without effect on the other file', async (file, passed, failed, failure) => {
  expect(await tally(file, 'good.test.ts')).toEqual({
    passed,
    failed,
    skipped: 0,
    failures: [expect.stringMatching(failure)],
  })
})

test('a bad exit code without a failed test: one failure', () => {
  const report = '  <testsuite name="a" file="a.test.ts" tests="3" failures="0" skipped="1">'
  expect(tallyOf(report, ['a.test.ts'], 1)).toEqual({
    passed: 2,
    failed: 1,
    skipped: 1,
    failures: ['a test process ended with 1'],
  })
})

test('no report: every file failed', () => {
  expect(tallyOf('', ['a.test.ts', 'b.test.ts'], 137)).toMatchObject({ passed: 0, failed: 2 })
})
