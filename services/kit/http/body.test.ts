import { afterEach, describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { closed, OneOf } from '../../../proto/http/shapes.ts'
import { Refusal } from '../errors/refusal.ts'
import { BodyBudget } from '../limits/body-budget.ts'
import {
  type BodyLimit,
  bodyChecker,
  readJson as readJsonWithin,
  refuseLongBody,
  refuseOtherMediaTypes,
} from './body.ts'

const post = (body: string | Uint8Array, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  new Request('http://localhost/', { method: 'POST', body, headers })

const MAX_BYTES = 1024 * 1024
const budget = new BodyBudget({ maxBytes: 2 * MAX_BYTES, maxBytesPerClient: 2 * MAX_BYTES })
const limit: BodyLimit = { maxBytes: MAX_BYTES, budget, client: 'org_1' }
const readJson = (request: Request) => readJsonWithin(request, limit)
afterEach(() => expect(budget.reservedBytes).toBe(0))

async function refusalOf(work: () => unknown): Promise<Refusal> {
  try {
    await work()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('the request was accepted')
}

describe('media types', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('%s is JSON', (type) => refuseOtherMediaTypes(post('{}', { 'content-type': type })))

  test.each([
    'xxxxxxxxxxxxj',
    'application/jsonp',
    'application/json; charset=latin1',
    'text/json',
    'application/problem+json',
    'multipart/form-data',
  ])('%s is 415', async (type) => {
    const refusal = await refusalOf(() => refuseOtherMediaTypes(post('{}', { 'content-type': type })))
    expect(refusal.code).toBe('unsupported_media_type')
  })

  test('a body without a type is 415; a request without a body needs no type', async () => {
    const request = new Request('http://localhost/', { method: 'POST', body: new Uint8Array([123, 125]) })
    request.headers.set('content-length', '2')
    expect((await refusalOf(() => refuseOtherMediaTypes(request))).code).toBe('unsupported_media_type')
    refuseOtherMediaTypes(new Request('http://localhost/', { method: 'POST' }))
  })
})

describe('reading JSON', () => {
  test('a Content-Length over the limit is refused before the body is read', async () => {
    const request = post('{}')
    request.headers.set('content-length', String(MAX_BYTES + 1))
    expect((await refusalOf(() => refuseLongBody(request, MAX_BYTES))).code).toBe('payload_too_large')
  })

  test('a stream without Content-Length is refused at the limit', async () => {
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(0x20)),
    })
    const request = new Request('http://localhost/', { method: 'POST', body: endless })
    expect((await refusalOf(() => readJson(request))).code).toBe('payload_too_large')
  })

  test('an empty body is undefined', async () => {
    expect(await readJson(post(''))).toBeUndefined()
  })

  test.each(['{', '[1,]', '{"a":1', 'nul', "{'a':1}", '{"a":NaN}', '\u{feff}{}'])('%s is not JSON', async (text) => {
    expect((await refusalOf(() => readJson(post(text)))).errors?.[0]?.field).toBe('body')
  })

  test.each([
    ['{"title": "Impeller",\n  "internal": yes}', 'there is an unknown word at line 2, column 15'],
    ['{"a": 1,}', 'a name in double quotes is missing at line 1, column 9'],
    ['{"a" 1}', 'a colon is missing at line 1, column 6'],
    ['[1 2]', 'a comma is missing at line 1, column 4'],
    ["{'a': 1}", 'there is an unknown word at line 1, column 2'],
    ['{"a": 1', 'a closing brace is missing at line 1, column 8'],
    ['{} {}', 'there is text after the value at line 1, column 4'],
    ['// a\n{}', 'there is a comment at line 1, column 1'],
    ['{"a": "b\nc"}', 'a string has no closing quote at line 1, column 7'],
    ['\u{feff}{}', 'there is a byte order mark'],
  ])('%j is refused with the position of the error', async (text, problem) => {
    const refusal = await refusalOf(() => readJson(post(text)))
    expect(refusal.errors).toEqual([{ field: 'body', message: `must be JSON: ${problem}` }])
    expect(refusal.detail).toBe(`body: must be JSON: ${problem}`)
  })

  test('a megabyte of errors is refused as fast as one', async () => {
    const began = performance.now()
    await refusalOf(() => readJson(post('!'.repeat(MAX_BYTES))))
    expect(performance.now() - began).toBeLessThan(1000)
  })

  test('bytes that are not UTF-8 are not JSON', async () => {
    const refusal = await refusalOf(() => readJson(post(new Uint8Array([0x22, 0xff, 0x22]))))
    expect(refusal.errors).toEqual([{ field: 'body', message: 'must be JSON in UTF-8' }])
  })

  test('depth 32 is accepted; 33 and 100,000 are refused without recursion', async () => {
    const nested = (depth: number) => post('['.repeat(depth) + ']'.repeat(depth))
    expect(await readJson(nested(32))).toBeArray()
    for (const depth of [33, 100_000]) {
      const refusal = await refusalOf(() => readJson(nested(depth)))
      expect(refusal.errors).toEqual([{ field: 'body', message: 'must not be nested deeper than 32' }])
    }
  })

  test('more than the maximum number of values is refused before parsing', async () => {
    const fields = Object.fromEntries(Array.from({ length: 25_001 }, (_, n) => [`k${n}`, 1]))
    const refusal = await refusalOf(() => readJson(post(JSON.stringify(fields))))
    expect(refusal.errors).toEqual([{ field: 'body', message: 'must not have more than 25000 values' }])
    expect(await readJson(post(JSON.stringify({ text: ','.repeat(50_000) })))).toBeDefined()
  })

  test('brackets inside strings do not count as nesting', async () => {
    const text = JSON.stringify({ a: `${'['.repeat(100)}\\"{` })
    expect(await readJson(post(text))).toEqual(JSON.parse(text))
  })

  test('NUL and lone surrogates are refused with the path of the field', async () => {
    expect((await refusalOf(() => readJson(post('{"a":{"b":["\\u0000"]}}')))).errors).toEqual([
      { field: 'a.b.0', message: 'must not contain NUL' },
    ])
    expect((await refusalOf(() => readJson(post('{"a":"\\ud800"}')))).errors?.[0]?.field).toBe('a')
    expect((await refusalOf(() => readJson(post('{"\\ud800":1}')))).code).toBe('validation_error')
    // Without an escape they are no JSON in UTF-8.
    expect((await refusalOf(() => readJson(post('{"a":"\0"}')))).errors?.[0]?.field).toBe('body')
    const surrogate = Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])
    expect((await refusalOf(() => readJson(post(surrogate)))).errors).toEqual([
      { field: 'body', message: 'must be JSON in UTF-8' },
    ])
    expect(await readJson(post('["\\ud83d\\ude00", "\\\\u0000"]'))).toEqual(['😀', '\\u0000'])
  })
})

describe('checking a body', () => {
  const check = bodyChecker(
    closed({
      name: Type.String({ minLength: 1, maxLength: 5 }),
      kind: Type.Optional(OneOf(['a', 'b'])),
      box: Type.Optional(closed({ x: Type.Optional(Type.Number({ minimum: 0 })) })),
    }),
  )
  const errorsOf = async (value: unknown) => (await refusalOf(() => check(value))).errors

  test('a valid body is returned unchanged', () => {
    expect(check({ name: 'abc', kind: 'a', box: { x: 0.5 } })).toEqual({ name: 'abc', kind: 'a', box: { x: 0.5 } })
  })

  test('unknown fields are refused by name, including __proto__ and constructor', async () => {
    expect(await errorsOf({ name: 'a', extra: 1 })).toEqual([
      { field: 'extra', message: 'is not a field of this request' },
    ])
    for (const key of ['__proto__', 'constructor']) {
      expect((await errorsOf(JSON.parse(`{"name":"a","${key}":{}}`)))?.[0]?.field).toBe(key)
    }
  })

  test('each invalid field is reported by its path', async () => {
    expect((await errorsOf({ name: '', kind: 'c', box: { x: -1 } }))?.map(({ field }) => field)).toEqual([
      'name',
      'kind',
      'box.x',
    ])
  })

  test('missing fields are reported, and null is not accepted', async () => {
    expect(await errorsOf({})).toEqual([{ field: 'name', message: 'is required' }])
    expect((await errorsOf({ name: null }))?.[0]?.field).toBe('name')
    expect((await errorsOf(undefined))?.[0]).toEqual({ field: 'body', message: 'is required' })
  })

  test('no message contains a value', async () => {
    const errors = await errorsOf({ name: 'secret-value-7f3a', kind: 'secret-value-7f3a' })
    expect(JSON.stringify(errors)).not.toContain('7f3a')
  })

  test('numbers outside the range of a double are refused', async () => {
    expect((await errorsOf(JSON.parse('{"name":"a","box":{"x":1e999}}')))?.[0]?.field).toBe('box.x')
  })
})
