import { describe, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { connect } from '../../kit/db/client.ts'
import { exportedText, importTexts, restoreShipped, shippedText } from '../../testing/catalog-imports.ts'
import { testDatabase } from '../../testing/database.ts'
import type { CatalogName } from '../catalog.ts'
import { CATALOGS } from '../catalogs.ts'
import { importCatalogs } from './commands.ts'

const { ownerUrl } = await testDatabase()
const sql = connect(ownerUrl, { max: 2, applicationName: 'test-import', searchPath: 'catalog' })

/** Expects a refused import without changes and returns its problems. */
async function refusalOf(files: Partial<Record<CatalogName, string>>) {
  const { problems, changes } = await importTexts(sql, files)
  expect(changes).toEqual([])
  for (const name of Object.keys(files) as CatalogName[]) {
    expect(await exportedText(sql, name)).toBe(await shippedText(name))
  }
  return problems
}

const HEADER = 'code,name,type,standard_codes'
const materials = (...lines: string[]) => ({ materials: [HEADER, ...lines, ''].join('\n') })

describe('an invalid row is reported with its line and its problem, and nothing changes', () => {
  test.each([
    ['a/b,Name,metal,', 'code must be 1 to 64 of A-Z, a-z, 0-9, ".", "_" and "-"'],
    [',Name,metal,', 'code must be 1 to 64 of A-Z, a-z, 0-9, ".", "_" and "-"'],
    ['a,,metal,', 'name is empty'],
    ['a,"two\nlines",metal,', 'name has a line break or another control character'],
    [`a,${'x'.repeat(201)},metal,`, 'name is longer than 200 characters'],
    ['a,Name,wood,', 'type is not one of metal, polymer, ceramic, composite, sand, wax, other'],
    ['a,Name,metal,iso-9001;iso-9001', 'standard_codes names "iso-9001" more than once'],
    ['a,Name,metal,nothing', 'standard_codes names "nothing", which is not in standards'],
    ['a,Name,metal', 'has 3 cells where the first line names 4 columns'],
    ['a,Name,metal,,', 'has 5 cells where the first line names 4 columns'],
  ])('%p', async (line, reason) => {
    const problems = await refusalOf(materials('good,Good,metal,', line))
    expect(problems.listed).toEqual([{ catalog: 'materials', line: line.includes('\n') ? 4 : 3, reason }])
  })

  test('all invalid rows between valid ones are reported', async () => {
    const problems = await refusalOf(materials('a,,metal,', 'good,Good,metal,', 'b,B,wood,'))
    expect(problems.listed.map(({ line }) => line)).toEqual([2, 4])
  })

  test('the first fifty problems are listed and all are counted', async () => {
    const problems = await refusalOf(materials(...Array.from({ length: 120 }, (_, index) => `m${index},,metal,`)))
    expect([problems.count, problems.listed.length, problems.listed.at(-1)?.line]).toEqual([120, 50, 51])
  })

  test('the first fifty unknown references are listed and all are counted', async () => {
    const problems = await refusalOf(materials(...Array.from({ length: 120 }, (_, index) => `m${index},M,metal,none`)))
    expect([problems.count, problems.listed.length]).toEqual([120, 50])
  })

  test('a repeated key is reported, also in a distant row', async () => {
    const far = Array.from({ length: 2500 }, (_, index) => `m${index},M,metal,`)
    const problems = await refusalOf(materials('a,A,metal,', 'a,A,metal,', ...far, 'a,Other,metal,'))
    expect(problems.listed).toEqual([
      { catalog: 'materials', line: 3, reason: 'code "a" is given more than once' },
      { catalog: 'materials', line: 2504, reason: 'code "a" is given more than once' },
    ])
  })

  test('a repeated id and a repeated code of criticalities are named, also far apart', async () => {
    const far = Array.from({ length: 2500 }, (_, index) => `i${index},c${index},Name,Body,1`)
    const problems = await refusalOf({
      criticalities: [
        'id,code,name,governing_body,rank',
        'a,A,Name,Body,1',
        'b,A,Name,Body,1',
        'a,B,Name,Body,1',
        ...far,
        'c,A,Name,Body,1',
        'a,C,Name,Body,1',
        '',
      ].join('\n'),
    })
    expect(problems.listed.toSorted((one, other) => Number(one.line) - Number(other.line))).toEqual([
      { catalog: 'criticalities', line: 3, reason: 'code "A" is given more than once' },
      { catalog: 'criticalities', line: 4, reason: 'id "a" is given more than once' },
      { catalog: 'criticalities', line: 2505, reason: 'code "A" is given more than once' },
      { catalog: 'criticalities', line: 2506, reason: 'id "a" is given more than once' },
    ])
  })

  test('a repeated commodity is reported', async () => {
    const row = '31000000,Components,31160000,Hardware,31161600,Bolts,31161610,Eye bolts'
    const [header] = (await shippedText('unspsc-categories')).split('\n')
    const problems = await refusalOf({ 'unspsc-categories': `${header}\n${row}\n${row}\n` })
    expect(problems.listed).toEqual([
      { catalog: 'unspsc-categories', line: 3, reason: 'id "31161610" is given more than once' },
    ])
  })
})

describe('a malformed file changes nothing', () => {
  test.each([
    ['an empty file', ''],
    ['a missing column', 'code,name,type\na,A,metal\n'],
    ['an unknown column', `${HEADER},price\na,A,metal,,1\n`],
    ['a repeated column', `${HEADER},code\na,A,metal,,a\n`],
    ['a missing header', 'a,A,metal,\n'],
    ['an unclosed quote', `${HEADER}\na,"A,metal,\nb,B,metal,\n`],
    ['a quote within a cell', `${HEADER}\na,A"A,metal,\n`],
    ['a record without an end', `${HEADER}\na,"${'x'.repeat(100_000)}`],
  ])('%s', async (_, text) => {
    expect((await refusalOf({ materials: text })).listed).toHaveLength(1)
  })

  test('bytes that are not UTF-8', async () => {
    const bytes = Buffer.from(`${HEADER}\na,Gr\xf6\xdfe,metal,\n`, 'latin1')
    const open = () => Readable.from([bytes])
    const { problems } = await importCatalogs({ sql, clock: Date.now }, [
      { catalog: CATALOGS.materials, open, shipped: false },
    ])
    expect(problems.listed).toEqual([{ catalog: 'materials', line: 2, reason: 'name is not UTF-8' }])
  })

  test('a read error', async () => {
    const open = () =>
      new Readable({
        read() {
          this.push(`${HEADER}\na,A,metal,\n`)
          this.destroy(new Error('disk failure'))
        },
      })
    const broken = importCatalogs({ sql, clock: Date.now }, [{ catalog: CATALOGS.materials, open, shipped: false }])
    await expect(broken).rejects.toThrow('disk failure')
    expect(await exportedText(sql, 'materials')).toBe(await shippedText('materials'))
  })
})

describe('the tree of categories', () => {
  const categories = (...lines: string[]) => ({
    categories: ['id,code,name,description,parent_id', ...lines, ''].join('\n'),
  })

  test('an unknown parent is reported', async () => {
    const problems = await refusalOf(categories('a,,A,,', 'b,,B,,none'))
    expect(problems.listed).toEqual([
      { catalog: 'categories', line: 3, reason: 'parent_id names "none", which is not in categories' },
    ])
  })

  test('a cycle of parents is reported with all descendants', async () => {
    const problems = await refusalOf(categories('a,,A,,', 'b,,B,,c', 'c,,C,,b', 'd,,D,,c', 'e,,E,,e'))
    expect(problems.listed.map(({ line }) => line)).toEqual([3, 4, 5, 6])
  })

  test('a parent can come after its children', async () => {
    const before = await exportedText(sql, 'categories')
    const { problems } = await importTexts(sql, { categories: `${before}child,,Child,,late\nlate,,Late,,\n` })
    expect(problems.listed).toEqual([])
    await restoreShipped(sql, 'categories')
  })
})

test('of several files either all are imported or none', async () => {
  const standards = `${await shippedText('standards')}new,New,ISO,,\n`
  await refusalOf({ standards, ...materials('a,A,wood,') })
})
