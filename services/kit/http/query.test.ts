import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { closed, DateTime, OneOf, pageQuery, Search } from '../../../proto/http/shapes.ts'
import { Refusal } from '../errors/refusal.ts'
import { queryReader } from './query.ts'

const read = queryReader(
  Type.Object({
    ...pageQuery,
    view: OneOf(['CONSUMER', 'IP_OWNER'], { default: 'CONSUMER' }),
    active: Type.Optional(Type.Boolean()),
    from: Type.Optional(DateTime('from')),
    q: Type.Optional(Search('q', 'x')),
    parentId: Type.Optional(Type.String()),
  }),
)

const refusalOf = (search: string, reader: (search: string) => unknown = read) => {
  try {
    reader(search)
  } catch (error) {
    if (error instanceof Refusal) return error.errors
    throw error
  }
  throw new Error(`${search} was accepted`)
}

describe('strict queries', () => {
  test('missing parameters get their defaults', () => {
    expect(read('')).toEqual({ page: 1, pageSize: 10, view: 'CONSUMER' })
  })

  test.each(['0', '-1', '1.0', '0x10', '1e1', '', '01', '+1', ' 1', '9007199254740993', '2147483648', 'NaN', '%31%'])(
    'page=%s is refused',
    (text) => {
      expect(refusalOf(`page=${text}`)).toEqual([
        { field: 'page', message: 'must be a whole number from 1 to 2147483647' },
      ])
    },
  )

  test('pageSize accepts up to 50', () => {
    expect(read('pageSize=50').pageSize).toBe(50)
    expect(refusalOf('pageSize=51')?.[0]?.field).toBe('pageSize')
  })

  test('booleans other than true and false are refused', () => {
    expect(read('active=false').active).toBe(false)
    for (const text of ['True', '1', '', 'yes']) expect(refusalOf(`active=${text}`)?.[0]?.field).toBe('active')
  })

  test('an undeclared enum value is refused', () => {
    expect(refusalOf('view=SELLER')).toEqual([{ field: 'view', message: 'must be one of CONSUMER, IP_OWNER' }])
  })

  test('a repeated parameter is refused', () => {
    expect(refusalOf('page=1&page=1')).toEqual([{ field: 'page', message: 'may be given once' }])
  })

  test.each([
    ['Page', 'page'],
    ['page_size', 'pageSize'],
    ['per_page', 'pageSize'],
    ['limit', 'pageSize'],
    ['pagesise', 'pageSize'],
    ['search', 'q'],
    ['since', 'from'],
    ['activ', 'active'],
    ['isActive', 'active'],
    ['parent', 'parentId'],
  ])('%s is refused, with %s as what was probably meant', (name, meant) => {
    const message = `is not a parameter of this request. Probably meant: ${meant}`
    expect(refusalOf(`view=IP_OWNER&${name}=1`)).toEqual([{ field: name, message }])
  })

  test('a parameter that resembles none is refused with all names', () => {
    const message = 'is not a parameter of this request, which takes page, pageSize, view, active, from, q, parentId'
    for (const name of ['utm_source', '__proto__', 'constructor', 'sort', 'x'.repeat(100)]) {
      expect([name, refusalOf(`${name}=1`)]).toEqual([name, [{ field: name, message }]])
    }
  })

  test('a request without parameters refuses any', () => {
    const message = 'is not a parameter of this request, which takes none'
    expect(refusalOf('page=1', queryReader(closed({})))).toEqual([{ field: 'page', message }])
  })

  test('a name that cannot be decoded is refused, and a long one is cut', () => {
    const message = 'has a name that is not percent-encoded UTF-8'
    for (const name of ['%ff', '%', 'a%00b']) expect(refusalOf(`${name}=1`)).toEqual([{ field: 'query', message }])
    expect(refusalOf(`${'x'.repeat(99)}%F0%9F%92%A9=1`)?.[0]?.field).toBe(`${'x'.repeat(99)}\ufffd`)
    expect(refusalOf('=1')?.[0]?.field).toBe('query')
  })

  test('of a thousand unknown parameters 50 are reported', () => {
    expect(refusalOf(Array.from({ length: 1000 }, (_, n) => `p${n}=1`).join('&'))).toHaveLength(50)
  })

  test('ampersands without a parameter between them are ignored', () => {
    expect(read('&&page=2&')).toEqual({ page: 2, pageSize: 10, view: 'CONSUMER' })
  })

  test('date-times without an offset or with an invalid day are refused', () => {
    expect(read('from=2026-04-29T09:10:00%2B02:00').from).toBe('2026-04-29T09:10:00+02:00')
    for (const text of ['2026-02-30T00:00:00Z', '2026-04-29', '2026-04-29T09:10:00', '%2B275760-01-01T00:00:00Z']) {
      expect(refusalOf(`from=${text}`)?.[0]?.field).toBe('from')
    }
  })

  test('an empty q is ignored, and an empty id is kept', () => {
    expect(read('q=')).not.toHaveProperty('q')
    expect(read('parentId=').parentId).toBe('')
  })

  test('invalid percent-encoding and NUL are refused', () => {
    for (const text of ['%ff', '%', 'a%00b']) expect(refusalOf(`q=${text}`)?.[0]?.field).toBe('q')
  })

  test('plus and %20 are decoded as a space', () => {
    expect(read('q=a+b%20c').q).toBe('a b c')
  })
})
