import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { connect } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { CATALOGS } from '../catalogs.ts'
import { loadContents } from '../memory/load.ts'
import { importCatalogs } from './commands.ts'

const { ownerUrl, urlOf } = await testDatabase()
const folder = await mkdtemp(join(tmpdir(), 'full-unspsc-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const SEGMENTS = 50
const FAMILIES = 10
const CLASSES = 16
const COMMODITIES = 19
const RECORDS = SEGMENTS * FAMILIES * CLASSES * COMMODITIES
const ENTRIES = SEGMENTS * (1 + FAMILIES * (1 + CLASSES * (1 + COMMODITIES)))

/** The capacity of the stream buffers and one batch. */
const MAX_RECORDS_AHEAD = 10_000

/** Enough for tests of how a file is read; many times the records that may be read ahead. */
const FEW_SEGMENTS = 15
const FEW_RECORDS = FEW_SEGMENTS * FAMILIES * CLASSES * COMMODITIES

const whole = join(folder, 'whole.csv')
await writeFile(whole, SEGMENTS)

/** A file of the format of the licensed UNSPSC, which has as many segments as `whole`. */
async function writeFile(path: string, segments: number, lastLine = ''): Promise<void> {
  const out = Bun.file(path).writer()
  out.write((await Bun.file(join(import.meta.dir, '..', 'data', 'unspsc-categories.csv')).text()).split('\n')[0] ?? '')
  out.write('\n')
  for (let s = 10; s < 10 + segments; s += 1) {
    for (let f = 10; f < 10 + FAMILIES; f += 1) {
      for (let c = 10; c < 10 + CLASSES; c += 1) {
        const above = [
          `${s}000000,"Segment ${s}, and supplies"`,
          `${s}${f}0000,Family ${f}`,
          `${s}${f}${c}00,Class ${c}`,
        ]
        for (let n = 11; n < 11 + COMMODITIES; n += 1) {
          out.write(`${above.join(',')},${s}${f}${c}${n},Commodity ${n} of class ${c} in family ${f}\n`)
        }
      }
    }
  }
  out.write(lastLine)
  await out.end()
}

async function operator(...args: string[]) {
  const script = join(import.meta.dir, '..', '..', '..', 'scripts', 'commands', 'operator', 'main.ts')
  const child = Bun.spawn([process.execPath, script, 'catalog', ...args], {
    env: { ...process.env, DATABASE_URL: ownerUrl, INVOKED_FROM: folder },
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

test('reading waits for storing, so that memory does not grow with the file', async () => {
  const few = join(folder, 'few.csv')
  await writeFile(few, FEW_SEGMENTS)
  let read = 0
  let stored = 0
  let ahead = 0
  const chunks = async function* () {
    for await (const chunk of Bun.file(few).stream()) {
      read += chunk.reduce((lines, byte) => lines + (byte === 10 ? 1 : 0), 0)
      ahead = Math.max(ahead, read - stored)
      yield chunk
    }
  }
  const sql = connect(ownerUrl, { max: 2, applicationName: 'test-import', searchPath: 'catalog' })
  const source = { catalog: CATALOGS['unspsc-categories'], open: () => Readable.from(chunks()), shipped: false }
  const onRecord = () => {
    stored += 1
  }
  const { problems } = await importCatalogs({ sql, clock: Date.now, onRecord }, [source])
  await sql.end({ timeout: 1 })
  expect([problems.count, stored]).toEqual([0, FEW_RECORDS])
  expect(ahead).toBeLessThan(MAX_RECORDS_AHEAD)
}, 120_000)

test('a file of 150,000 commodities is imported, exported unchanged, and imported again without changes', async () => {
  const imported = await operator('import', 'unspsc-categories', whole)
  expect(imported.err).toBe('')
  expect(imported.out).toContain(`unspsc-categories: 50000 records read\n`)
  expect(imported.out).toMatch(
    new RegExp(`unspsc-categories: ${ENTRIES} entries; \\d+ added, \\d+ changed, \\d+ removed\n$`),
  )

  const exported = await operator('export', 'unspsc-categories', 'again.csv')
  expect(exported.out).toBe(`unspsc-categories: ${RECORDS} records in ${join(folder, 'again.csv')}\n`)
  const same = (await Bun.file(join(folder, 'again.csv')).text()) === (await Bun.file(whole).text())
  expect(same).toBe(true)

  const again = await operator('import', 'unspsc-categories', whole)
  expect(again.out).toEndWith('unspsc-categories: nothing to change\n')
}, 120_000)

test('one invalid row at the end of the file changes nothing', async () => {
  const bad = join(folder, 'bad.csv')
  await writeFile(bad, FEW_SEGMENTS, '10000000,"Segment 10, and supplies",99990000,Elsewhere,,,,\n')
  const { code, err } = await operator('import', 'unspsc-categories', bad)
  expect(code).toBe(1)
  expect(err).toBe(
    `unspsc-categories, line ${FEW_RECORDS + 2}: family_code 99990000 is not below 10000000\n1 problem; nothing was changed.\n`,
  )
}, 120_000)

test('the imported catalog can be read, filtered and searched', async () => {
  const sql = connect(urlOf('catalog'), { max: 1, applicationName: 'test-catalog' })
  const contents = await loadContents(sql, CATALOGS['unspsc-categories'])
  await sql.end({ timeout: 1 })
  expect(contents.size).toBe(ENTRIES)
  const first = (where: { level?: number }, search?: string) =>
    JSON.parse(`[${contents.list(where, search, { offset: 0, limit: 1 }).text}]`)[0]
  expect(first({}, 'COMMODITY 29 of class 25 in family 19')).toMatchObject({ id: '10192529', level: 4 })
  expect(first({ level: 3 }, 'segment 59')).toMatchObject({ id: '59101000', segmentTitle: 'Segment 59, and supplies' })
  expect(first({ level: 1 }, 'commodity')).toBeUndefined()
  expect(contents.list({ level: 4 }, undefined, { offset: RECORDS - 1, limit: 1 }).hasMore).toBe(false)
}, 60_000)
