import { afterEach, describe, expect, test } from 'bun:test'
import { connect, type Sql } from '../../kit/db/client.ts'
import { exportedText, importTexts, restoreShipped, shippedText } from '../../testing/catalog-imports.ts'
import { testDatabase } from '../../testing/database.ts'
import { until } from '../../testing/until.ts'

const { ownerUrl, owner, urlOf } = await testDatabase()
const sql = connect(ownerUrl, { max: 3, applicationName: 'test-import', searchPath: 'catalog' })
const sourcing = connect(urlOf('sourcing'), { max: 2, applicationName: 'test-sourcing' })

afterEach(async () => {
  await owner`delete from sourcing.parts`
  await restoreShipped(sql, 'materials')
  await restoreShipped(sql, 'standards')
})

/** A part that references a material and two standards. */
const storePart = (tx: Sql, materialId: string) => tx`
  insert into sourcing.parts (
    id, serial_number, ip_owner_org_id, state, content, created_at, updated_at
  ) values (
    'part_test', 'P-TESTTEST', 'org_test', 'DRAFT',
    json_build_object('materialId', ${materialId}::text, 'standardIds', array['iso-9001', 'as9100']), now(), now()
  )`

const without = async (name: 'materials' | 'standards' | 'technologies', ...codes: string[]) => {
  const lines = (await shippedText(name)).split('\n')
  return lines.filter((line) => !codes.some((code) => line.startsWith(`${code},`))).join('\n')
}

describe('an entry that a part references', () => {
  test('cannot be removed: the import reports it and changes nothing', async () => {
    await storePart(sourcing, 'abs')
    const { problems, changes } = await importTexts(sql, { materials: await without('materials', 'abs', 'asa') })
    expect(changes).toEqual([])
    expect(problems.listed).toEqual([{ catalog: 'materials', reason: '"abs" is missing, but a record refers to it' }])
    expect(await exportedText(sql, 'materials')).toBe(await shippedText('materials'))
  })

  test('cannot be removed if it is one of a list', async () => {
    await storePart(sourcing, 'abs')
    const { problems } = await importTexts(sql, {
      standards: await without('standards', 'as9100', 'iso-9001', 'iso-9712'),
    })
    expect(problems.listed.map(({ reason }) => reason)).toEqual([
      '"as9100" is missing, but a record refers to it',
      '"iso-9001" is missing, but a record refers to it',
    ])
  })

  test('can be changed', async () => {
    await storePart(sourcing, 'abs')
    const file = (await shippedText('materials')).replace('Acrylonitrile butadiene styrene (ABS)', 'ABS')
    const { problems, changes } = await importTexts(sql, { materials: file })
    expect([problems.count, changes[0]?.comparison]).toEqual([0, { added: 0, changed: 1, removed: 0 }])
  })

  test('does not protect an unreferenced entry', async () => {
    await storePart(sourcing, 'abs')
    const { changes } = await importTexts(sql, { materials: await without('materials', 'asa') })
    expect(changes[0]?.comparison).toEqual({ added: 0, changed: 0, removed: 1 })
  })
})

describe('a part that is written during an import', () => {
  const importWaits = async () => {
    const waiting = await owner`
      select 1 from pg_locks
      where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
    return waiting.length > 0
  }

  test('blocks the import, which is then refused', async () => {
    const importing = await sourcing.begin(async (tx) => {
      await tx`select catalog.lock_entries_shared()`
      const [material] = await tx`select code from catalog.material_lookup where code = 'abs'`
      expect(material?.code).toBe('abs')
      const importing = importTexts(sql, { materials: await without('materials', 'abs') })
      await until(importWaits, { what: 'a waiting import' })
      await storePart(tx, 'abs')
      return { importing }
    })
    const { problems } = await importing.importing
    expect(problems.listed).toEqual([{ catalog: 'materials', reason: '"abs" is missing, but a record refers to it' }])
  })

  test('and rolled back does not prevent the import', async () => {
    let importing: ReturnType<typeof importTexts> | undefined
    const written = sourcing.begin(async (tx) => {
      await tx`select catalog.lock_entries_shared()`
      await storePart(tx, 'abs')
      importing = importTexts(sql, { materials: await without('materials', 'abs') })
      await until(importWaits, { what: 'a waiting import' })
      throw new Error('rolled back')
    })
    await expect(written).rejects.toThrow('rolled back')
    expect((await importing)?.problems.count).toBe(0)
  })

  test('after the removal does not find the entry', async () => {
    await importTexts(sql, { materials: await without('materials', 'abs') })
    await sourcing.begin(async (tx) => {
      await tx`select catalog.lock_entries_shared()`
      expect((await tx`select code from catalog.material_lookup where code = 'abs'`).length).toBe(0)
    })
  })

  test('does not block other writers', async () => {
    await sourcing.begin(async (one) => {
      await one`select catalog.lock_entries_shared()`
      await sourcing.begin((other) => other`select catalog.lock_entries_shared()`)
    })
  })
})

describe('an entry that another catalog references', () => {
  test('cannot be removed', async () => {
    const { problems } = await importTexts(sql, { standards: await without('standards', 'norsok-m-630') })
    expect(problems.listed.map(({ catalog, reason }) => `${catalog}: ${reason}`)).toEqual([
      'standards: "norsok-m-630" is missing, but "duplex-2205" of materials refers to it',
      'standards: "norsok-m-630" is missing, but "super-duplex-2507" of materials refers to it',
    ])
  })

  test('can be removed if the same import removes the references', async () => {
    const materials = (await shippedText('materials')).replaceAll('norsok-m-630;', '')
    const { problems, changes } = await importTexts(sql, {
      standards: await without('standards', 'norsok-m-630'),
      materials,
    })
    expect(problems.listed).toEqual([])
    expect(changes.map(({ catalog, comparison }) => [catalog, comparison])).toEqual([
      ['standards', { added: 0, changed: 0, removed: 1 }],
      ['materials', { added: 0, changed: 2, removed: 0 }],
    ])
    await importTexts(sql, { standards: await shippedText('standards'), materials: await shippedText('materials') })
  })

  test('cannot be removed: a technology that a process references', async () => {
    const { problems } = await importTexts(sql, { technologies: await without('technologies', 'grind') })
    expect(problems.listed.map(({ reason }) => reason)).toEqual([
      '"grind" is missing, but "grinding-ceramic" of processes refers to it',
      '"grind" is missing, but "grinding-metal" of processes refers to it',
    ])
  })
})
