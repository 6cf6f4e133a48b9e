import { describe, expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { CATALOGS } from '../catalogs.ts'
import { ContentsBuilder } from './contents.ts'
import type { Item } from './rows.ts'

const { owner } = await testDatabase()

const contentsOf = (items: readonly Item[]) => {
  const builder = new ContentsBuilder(CATALOGS.technologies)
  for (const item of items) builder.add(item)
  return builder.build()
}

const item = (id: string, label: string, more: Item = {}): Item => ({
  id,
  code: id.toUpperCase(),
  label,
  acronyms: [],
  productionProcessType: 'cnc',
  ...more,
})

const ALL = { offset: 0, limit: 1000 }
const idsOf = ({ text }: { text: string }) => (JSON.parse(`[${text}]`) as { id: string }[]).map(({ id }) => id)

describe('search', () => {
  const LABELS = [
    ...['Größe', 'GRÖSSE', 'Groesse', 'grosse', 'ẞ', 'İstanbul', 'istanbul', 'ISTANBUL', 'ıstanbul', 'ΟΔΟΣ', 'οδος'],
    ...['οδοσ', '100 %', '100', 'a_b', 'ab', 'a\\b', 'C:\\dir', '%_\\', 'ÅNGSTRÖM', 'ångström', "O'Brien", '"quoted"'],
    ...['日本語', '😀 smile', 'e\u0301', 'é', 'ſ', 'K', 'ǅ', ' leading', 'two  spaces', '', 'Ꟑ', '꟒', '𖺠'],
  ]
  const SEARCHES = [
    ...['größe', 'GRÖSSE', 'ss', 'ß', 'SS', 'i', 'İ', 'ı', 'I', 'istanbul', 'σ', 'ς', 'Σ', 'οδος', 'ΟΔΟΣ', '%', '_'],
    ...['\\', '100 %', '%_', 'a_', 'a\\', 'å', 'Å', 'k', 'K', 's', 'ſ', 'é', 'e', '\u0301', '日', '😀', "'", '"', ' '],
    ...['  ', 'ǆ', 'Ǆ', 'ꟑ', '꟒', 'ꟓ', '𖺠', '𖺻', 'zzz'],
  ]
  const items = LABELS.map((label, index) => item(`e${index}`, label, { code: 'x' }))
  const contents = contentsOf(items)

  test.each(SEARCHES)('%p returns the same entries as ilike', async (search) => {
    const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`
    const rows = await owner<{ id: string }[]>`
      select 'e' || (position - 1) as id from unnest(${LABELS}::text[]) with ordinality as t (label, position)
      where label ilike ${pattern} order by position`
    expect(idsOf(contents.list({}, search, ALL))).toEqual(rows.map(({ id }) => id))
  })

  test('a match does not span two texts', () => {
    const contents = contentsOf([item('m', 'mill', { acronyms: ['ing', 'abc'] }), item('ing', 'x')])
    expect(idsOf(contents.list({}, 'milling', ALL))).toEqual([])
    expect(idsOf(contents.list({}, 'ing\0abc', ALL))).toEqual([])
    expect(idsOf(contents.list({}, 'ing', ALL))).toEqual(['m', 'ing'])
  })

  test('an entry with several matches is returned once', () => {
    const contents = contentsOf([item('a', 'aaaa', { acronyms: ['a', 'a'] }), item('b', 'a')])
    expect(idsOf(contents.list({}, 'a', ALL))).toEqual(['a', 'b'])
  })
})

describe('windows', () => {
  const items = Array.from({ length: 3000 }, (_, index) =>
    item(`t${String(index).padStart(4, '0')}`, index % 2 === 0 ? 'even' : 'odd', {
      productionProcessType: index % 3 === 0 ? 'cnc' : 'rapid_casting',
    }),
  )
  const contents = contentsOf(items)
  const cases = [
    ['everything', {}, undefined, () => true],
    [
      'a filter',
      { productionProcessType: 'cnc' },
      undefined,
      ({ productionProcessType }: Item) => productionProcessType === 'cnc',
    ],
    ['a search', {}, 'EVEN', ({ label }: Item) => label === 'even'],
    [
      'a search within few candidates',
      { productionProcessType: 'cnc' },
      'even',
      ({ label, productionProcessType }: Item) => label === 'even' && productionProcessType === 'cnc',
    ],
    [
      'a search within many candidates',
      { productionProcessType: 'rapid_casting' },
      'odd',
      ({ label, productionProcessType }: Item) => label === 'odd' && productionProcessType === 'rapid_casting',
    ],
    ['a filter without matches', { productionProcessType: 'none' }, undefined, () => false],
    ['a search without matches', {}, 'zzz', () => false],
  ] as const

  test.each(cases)('the pages of %s together are the whole list in order', (_, where, search, matches) => {
    const wanted = items.filter(matches).map(({ id }) => String(id))
    const found: string[] = []
    for (let offset = 0; ; offset += 70) {
      const page = contents.list(where, search, { offset, limit: 70 })
      found.push(...idsOf(page))
      expect(page.hasMore).toBe(found.length < wanted.length)
      if (!page.hasMore) break
    }
    expect(found).toEqual(wanted)
  })

  test.each(cases)('a window past the end of %s is empty', (_, where, search) => {
    expect(contents.list(where, search, { offset: 2_147_483_646 * 50, limit: 50 })).toEqual({
      text: '',
      hasMore: false,
    })
  })

  test('hasMore is false for a window that ends with the list', () => {
    expect(contents.list({}, undefined, { offset: 2990, limit: 10 }).hasMore).toBe(false)
    expect(contents.list({}, undefined, { offset: 2990, limit: 9 }).hasMore).toBe(true)
  })
})

test('a filter with null returns the entries without the property', () => {
  const contents = contentsOf([item('a', 'a'), item('b', 'b', { productionProcessType: undefined })])
  expect(idsOf(contents.list({ productionProcessType: null }, undefined, ALL))).toEqual(['b'])
})

test('find returns an entry only by its exact key', () => {
  const contents = contentsOf([item('mill-3', '3-axis milling')])
  expect(JSON.parse(contents.find('mill-3') ?? '')).toMatchObject({ id: 'mill-3', label: '3-axis milling' })
  for (const key of ['mill', 'MILL-3', '', '__proto__', 'constructor']) expect(contents.find(key)).toBeUndefined()
})
