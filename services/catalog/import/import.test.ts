import { describe, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { VERSION } from '../../kit/config/version.ts'
import { connect } from '../../kit/db/client.ts'
import { exportedText, importTexts, restoreShipped, shippedText } from '../../testing/catalog-imports.ts'
import { testDatabase } from '../../testing/database.ts'
import { CATALOG_NAMES } from '../catalog.ts'
import { CATALOGS } from '../catalogs.ts'
import { ImportRunning, importCatalogs } from './commands.ts'
import { shippedSources } from './shipped.ts'

const { ownerUrl, owner, urlOf } = await testDatabase()
const sql = connect(ownerUrl, { max: 3, applicationName: 'test-import', searchPath: 'catalog' })

const STANDARDS = 'code,title,governing_body,material_type,edition\n'
const versions = async () => {
  const rows = await sql<{ name: string; version: string }[]>`select name, version from catalog.catalogs`
  return Object.fromEntries(rows.map(({ name, version }) => [name, version]))
}
const events = async () => {
  const rows = await sql<{ data: string }[]>`
    select data from catalog.outbox where type = 'catalog.reloaded' order by seq`
  return rows.map(({ data }) => JSON.parse(data))
}

describe('a round trip', () => {
  test.each(CATALOG_NAMES)('an export of %s is the shipped file, byte for byte', async (name) => {
    expect(await exportedText(sql, name)).toBe(await shippedText(name))
  })

  test('an import of an export changes nothing and emits no event', async () => {
    const before = [await versions(), await events()]
    for (const name of CATALOG_NAMES) {
      const { problems, changes } = await importTexts(sql, { [name]: await exportedText(sql, name) })
      expect([problems.count, changes]).toEqual([0, []])
    }
    expect([await versions(), await events()]).toEqual(before)
  })

  test('quoted cells are exported as they were imported', async () => {
    const file = `${STANDARDS}odd,"Said ""so"", twice","Body, the",,\n`
    const whole = `${file}${(await shippedText('standards')).slice(STANDARDS.length)}`
    expect((await importTexts(sql, { standards: whole })).problems.listed).toEqual([])
    expect((await exportedText(sql, 'standards')).split('\n')).toContain('odd,"Said ""so"", twice","Body, the",,')
    await restoreShipped(sql, 'standards')
  })
})

describe('a changed file', () => {
  test('is published completely, returns the number of changes and emits one event', async () => {
    const emittedBefore = (await events()).length
    const file = (await shippedText('criticalities')).replace('NASA-STD-6030: class A', 'NASA-STD-6030: Class A')
    const { changes } = await importTexts(sql, { criticalities: `${file}new,new,A new one,ISO,1\n` })
    expect(changes).toEqual([
      { catalog: 'criticalities', entries: 21, comparison: { added: 1, changed: 1, removed: 0 } },
    ])
    const [row] = await sql`select name, rank from catalog.criticality_lookup where id = 'nasa-6030-a'`
    expect({ ...row }).toEqual({ name: 'NASA-STD-6030: Class A', rank: 3 })
    expect((await events()).slice(emittedBefore)).toEqual([{ catalogs: ['criticalities'] }])
    await restoreShipped(sql, 'criticalities')
  })

  test('removes earlier versions', async () => {
    await importTexts(sql, { criticalities: `${await shippedText('criticalities')}new,new,A new one,ISO,1\n` })
    await restoreShipped(sql, 'criticalities')
    const rows = await sql`select distinct version from catalog.criticalities`
    expect(rows.map(({ version }) => version)).toEqual([(await versions()).criticalities])
  })

  test('can have columns in any order, a byte order mark, spaces around cells, empty lines and CRLF', async () => {
    const lines = (await shippedText('criticalities')).trimEnd().split('\n').slice(1)
    const turned = lines.map((line) => line.split(',').reverse().join(' , ')).join('\r\n\r\n')
    const file = `\ufeffrank,governing_body,name,code,id\r\n${turned}\r\n`
    const { problems, changes } = await importTexts(sql, { criticalities: file })
    expect([problems.listed, changes]).toEqual([[], []])
  })

  test('with only a header empties the catalog', async () => {
    const { changes } = await importTexts(sql, { criticalities: 'id,code,name,governing_body,rank\n' })
    expect(changes).toEqual([
      { catalog: 'criticalities', entries: 0, comparison: { added: 0, changed: 0, removed: 20 } },
    ])
    await restoreShipped(sql, 'criticalities')
  })

  test('do not replace what a newer version has loaded, as after a rollback', async () => {
    expect((await shippedSources(sql, VERSION)).skipped).toEqual([])
    const { sources, skipped } = await shippedSources(sql, '0.0.9')
    expect(sources).toEqual([])
    expect(skipped).toContainEqual({ name: 'materials', by: `version ${VERSION} of the product loaded it` })
  })
})

describe('the shipped files', () => {
  test('have the documented content', async () => {
    const rows = await sql<
      { name: string; entries: number }[]
    >`select name, entries from catalog.catalogs order by name`
    expect(Object.fromEntries(rows.map(({ name, entries }) => [name, entries]))).toEqual({
      categories: 39,
      criticalities: 20,
      materials: 50,
      processes: 24,
      standards: 24,
      technologies: 26,
      'unspsc-categories': 5299,
    })
  })

  test('do not replace a catalog that an operator has imported', async () => {
    const own = 'id,code,name,governing_body,rank\nown,own,Our own,Us,1\n'
    await importTexts(sql, { criticalities: own })
    const { sources, skipped } = await shippedSources(sql)
    expect(skipped).toEqual([{ name: 'criticalities', by: 'an operator loaded it from another file' }])
    const { problems } = await importCatalogs({ sql, clock: Date.now }, sources)
    expect(problems.listed).toEqual([])
    expect(await exportedText(sql, 'criticalities')).toBe(own)
    await restoreShipped(sql, 'criticalities')
  })
})

describe('two imports', () => {
  test('cannot run concurrently: the second is refused and the first succeeds', async () => {
    const [session] = [await sql.reserve()]
    try {
      await session`select pg_advisory_lock(5021378)`
      await expect(importTexts(sql, { standards: STANDARDS })).rejects.toBeInstanceOf(ImportRunning)
    } finally {
      await session`select pg_advisory_unlock(5021378)`
      session.release()
    }
    expect(await exportedText(sql, 'standards')).toBe(await shippedText('standards'))
  })

  /** An import of two files whose staged rows another import deletes after the first. */
  async function losing(pool: typeof sql, losesLock: () => PromiseLike<unknown>) {
    const criticalities = `${await shippedText('criticalities')}new,new,A new one,ISO,1\n`
    const deletingStagedRows = async function* () {
      // The first file has been stored.
      await losesLock()
      await sql`delete from catalog.criticalities where version <> (
        select version from catalog.catalogs where name = 'criticalities')`
      yield `${await shippedText('categories')}new,,New,,\n`
    }
    const sources = [
      { catalog: CATALOGS.criticalities, open: () => Readable.from([criticalities]), shipped: false },
      { catalog: CATALOGS.categories, open: () => Readable.from(deletingStagedRows()), shipped: false },
    ]
    const before = await versions()
    await expect(importCatalogs({ sql: pool, clock: Date.now }, sources)).rejects.toBeInstanceOf(ImportRunning)
    expect(await versions()).toEqual(before)
  }

  test('cannot both succeed: one that lost its lock to the other changes nothing', () =>
    losing(sql, () => Promise.resolve()))

  test('cannot both succeed: one that lost the connection of its lock says that another runs', async () => {
    const pool = connect(ownerUrl, { max: 3, applicationName: 'test-lost', searchPath: 'catalog' })
    await losing(
      pool,
      () => owner`
        select pg_terminate_backend(pid) from pg_locks
        where locktype = 'advisory' and objid = 5021378 and database = (
          select oid from pg_database where datname = current_database())`,
    )
    await pool.end({ timeout: 1 })
  })

  test('in sequence: the second deletes the staged rows of a killed one', async () => {
    await sql`insert into catalog.criticalities (version, line, id, code, name, governing_body, rank)
      values (999999, 1, 'left', 'left', 'Left behind', 'None', 1)`
    await restoreShipped(sql, 'criticalities')
    const rows = await sql`select id from catalog.criticalities where id = 'left'`
    expect(rows.length).toBe(0)
  })
})

test('a file is staged in several transactions, whose rows are visible before the import ends', async () => {
  const file = await shippedText('unspsc-categories')
  const records = file.trimEnd().split('\n').length - 1
  let seen = 0
  let visible: Promise<{ entries: number }[]> | undefined
  const onRecord = () => {
    seen += 1
    if (seen !== records) return
    visible = Promise.resolve(owner<{ entries: number }[]>`
      select count(*)::int as entries from catalog.unspsc_categories
      where version <> (select version from catalog.catalogs where name = 'unspsc-categories')`)
  }
  const source = { catalog: CATALOGS['unspsc-categories'], open: () => Readable.from([file]), shipped: true }
  await importCatalogs({ sql, clock: Date.now, onRecord }, [source])
  expect((await visible)?.[0]?.entries).toBeGreaterThanOrEqual(4000)
})

describe('rights', () => {
  const service = connect(urlOf('catalog'), { max: 1, applicationName: 'test-catalog' })
  const sourcing = connect(urlOf('sourcing'), { max: 1, applicationName: 'test-sourcing' })

  test('the catalog role can read the catalogs and cannot write them', async () => {
    expect((await service`select code from catalog.materials`).length).toBe(50)
    for (const { table } of Object.values(CATALOGS)) {
      await expect(Promise.resolve(service`delete from ${service(table)}`)).rejects.toThrow('permission denied')
    }
    await expect(Promise.resolve(service`update catalog.catalogs set version = 0`)).rejects.toThrow('permission denied')
  })

  test('the sourcing role can read the lookup views and not the tables', async () => {
    const [process] = await sourcing`
      select material_type, technology_ids from catalog.process_lookup where code = 'pbf-metal'`
    expect({ ...process }).toEqual({ material_type: 'metal', technology_ids: ['pbf-lb-m', 'pbf-eb-m'] })
    const [commodity] = await sourcing`
      select level, label, segment_number, class_title, commodity_number from catalog.unspsc_lookup where id = '31161610'`
    expect({ ...commodity }).toEqual({
      level: 4,
      label: 'Eye bolts',
      segment_number: '31000000',
      class_title: 'Bolts',
      commodity_number: '31161610',
    })
    const views = ['material', 'process', 'standard', 'technology', 'criticality', 'category', 'unspsc']
    for (const view of views) {
      const [row] = await sourcing`select count(*)::int as entries from ${sourcing(`catalog.${view}_lookup`)}`
      expect(row?.entries).toBeGreaterThan(0)
    }
    for (const { table } of Object.values(CATALOGS)) {
      await expect(Promise.resolve(sourcing`select 1 from ${sourcing(table)}`)).rejects.toThrow('permission denied')
    }
    await expect(Promise.resolve(sourcing`select catalog.lock_entries_exclusive()`)).rejects.toThrow(
      'permission denied',
    )
  })
})
