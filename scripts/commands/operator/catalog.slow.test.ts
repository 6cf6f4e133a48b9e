import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shippedFile } from '../../../services/catalog/import/shipped.ts'
import { testDatabase } from '../../../services/testing/database.ts'
import { ROOT } from '../../toolchain/checkout.ts'

const { ownerUrl } = await testDatabase()
const folder = await mkdtemp(join(tmpdir(), 'catalog-command-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const HEADER = 'id,code,name,governing_body,rank\n'

/** Runs `./scripts/operator catalog …` in `folder`. */
const operator = (...args: string[]) => operatorReading('', ...args)

/** The same with a standard input. */
async function operatorReading(input: string, ...args: string[]) {
  const child = Bun.spawn([process.execPath, 'scripts/commands/operator/main.ts', 'catalog', ...args], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: ownerUrl, INVOKED_FROM: folder },
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, err }
}

const fileOf = (name: string, text: string) => Bun.write(join(folder, name), text)

describe('catalog export', () => {
  test('without a file: the whole catalog on standard output', async () => {
    const { code, out } = await operator('export', 'unspsc-categories')
    expect(code).toBe(0)
    expect(out).toBe(await Bun.file(shippedFile('unspsc-categories')).text())
  })

  test('with a file: written in the current folder, without temporary files', async () => {
    const { code, out } = await operator('export', 'materials', 'mine.csv')
    expect([code, out]).toEqual([0, `materials: 50 records in ${join(folder, 'mine.csv')}\n`])
    expect(await Bun.file(join(folder, 'mine.csv')).text()).toBe(await Bun.file(shippedFile('materials')).text())
    expect((await readdir(folder)).filter((name) => name.startsWith('mine'))).toEqual(['mine.csv'])
  })
})

describe('catalog import', () => {
  test('the first import reports its changes, and the same file again has nothing to change', async () => {
    await fileOf('own.csv', `${HEADER}own,own,Our own,Us,1\n`)
    const first = await operator('import', 'criticalities', 'own.csv')
    expect([first.code, first.out]).toEqual([0, 'criticalities: 1 entry; 1 added, 0 changed, 20 removed\n'])
    expect((await operator('import', 'criticalities', 'own.csv')).out).toBe('criticalities: nothing to change\n')
  })

  test('`-` is standard input, for one catalog', async () => {
    const given = await operatorReading(
      `${HEADER}own,own,Our own,Us,1\nall,all,All,Us,2\n`,
      'import',
      'criticalities',
      '-',
    )
    expect([given.code, given.out]).toEqual([0, 'criticalities: 2 entries; 1 added, 0 changed, 0 removed\n'])
    const twice = await operatorReading('', 'import', 'criticalities', '-', 'materials', '-')
    expect([twice.code, twice.err]).toEqual([1, 'Standard input has the file of one catalog.\n'])
  })

  test('--defaults: keeps a catalog that an operator loaded, until the shipped file is imported', async () => {
    const { out } = await operator('import', '--defaults')
    expect(out).toContain('criticalities: not changed, because an operator loaded it from another file\n')
    expect(out).toContain('materials: nothing to change\n')
    await operator('import', 'criticalities', shippedFile('criticalities'))
    expect((await operator('import', '--defaults')).out).toContain('criticalities: nothing to change\n')
  })

  test('invalid rows: the first fifty are listed with their lines, all are counted, and the exit code is 1', async () => {
    await fileOf('bad.csv', HEADER + Array.from({ length: 60 }, (_, n) => `b${n},b${n},,Us,1\n`).join(''))
    const { code, out, err } = await operator('import', 'criticalities', 'bad.csv')
    expect([code, out]).toEqual([1, ''])
    const lines = err.trim().split('\n')
    expect(lines[0]).toBe('criticalities, line 2: name is empty')
    expect(lines.slice(-3)).toEqual([
      'criticalities, line 51: name is empty',
      '… and 10 more',
      '60 problems; nothing was changed.',
    ])
  })

  test.each([
    [['import'], 1, 'Name each catalog with its file'],
    [['import', 'criticalities'], 1, 'Name each catalog with its file'],
    [['import', '--defaults', 'criticalities', 'own.csv'], 1, '--defaults takes no catalog and no file.'],
    [['import', 'nothing', 'own.csv'], 1, 'There is no catalog nothing. Catalogs: technologies'],
    [['import', 'criticalities', 'none.csv'], 1, 'does not exist'],
    [['import', 'criticalities', 'own.csv', 'criticalities', 'own.csv'], 1, 'more than once'],
    [['export'], 2, "Missing required argument 'catalog'."],
    [['unknown'], 2, "Unknown command 'unknown'."],
  ])('%p: refused without a stack', async (args, exitCode, sentence) => {
    const { code, err } = await operator(...args)
    expect(code).toBe(exitCode)
    expect(err).toContain(sentence)
    expect(err).not.toContain('    at ')
  })
})
