import { expect, test } from 'bun:test'
import { TERRITORIES } from '../../../proto/territories.ts'
import { isTerritory, territoriesOf } from './regions.ts'

test('a country is its only territory', () => {
  expect(territoriesOf('NO')).toEqual(['NO'])
})

test('EU contains its 27 members and not Norway', () => {
  expect(territoriesOf('EU')).toHaveLength(27)
  expect(territoriesOf('EU')).toContain('DK')
  expect(territoriesOf('EU')).not.toContain('NO')
})

test('150 (Europe) contains the territories of its subregions', () => {
  expect(territoriesOf('150')).toEqual(expect.arrayContaining(['NO', 'DE', 'PL', 'IT', 'XK']))
  expect(territoriesOf('150')).not.toContain('SG')
})

test('the countries that people choose from are those that an address may name', () => {
  expect(TERRITORIES).toEqual(territoriesOf('001').toSorted())
})

test('001 (the world) and 419 (Latin America), a grouping, contain each territory once', () => {
  expect(new Set(territoriesOf('001')).size).toBe(territoriesOf('001').length)
  expect(territoriesOf('001').length).toBeGreaterThan(240)
  expect(territoriesOf('419')).toEqual(expect.arrayContaining(['BR', 'MX', 'CU']))
  expect(territoriesOf('419')).not.toContain('US')
})

test.each(['', 'no', 'eu', 'ZZ', 'SU', '999', 'NOR', '001-status-grouping', '__proto__', 'constructor'])(
  'the unknown code %p contains nothing',
  (code) => {
    expect(territoriesOf(code)).toEqual([])
    expect(isTerritory(code)).toBe(false)
  },
)

test.each(['EU', 'EZ', 'UN', '150', 'QO'])('%s is no territory', (code) => {
  expect(isTerritory(code)).toBe(false)
})
