import { expect, test } from 'bun:test'
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { OPERATIONS } from './operations.ts'

interface Text {
  path: string
  schema: TSchema
}

/** The texts of a request body, with their paths. */
function textsOf(schema: TSchema, path: string): Text[] {
  const inner: [string, TSchema][] = [
    ...(Object.entries(schema.properties ?? {}) as [string, TSchema][]),
    ...(Object.values(schema.patternProperties ?? {}) as TSchema[]).map((value): [string, TSchema] => ['*', value]),
    ...((schema.anyOf ?? []) as TSchema[]).map((branch): [string, TSchema] => ['', branch]),
    ...(schema.items ? [['0', schema.items] as [string, TSchema]] : []),
  ]
  const nested = inner.flatMap(([name, value]) => textsOf(value, name === '' ? path : `${path}.${name}`))
  return schema.type === 'string' && schema.enum === undefined ? [{ path, schema }, ...nested] : nested
}

const texts = Object.values(OPERATIONS)
  .flat()
  .flatMap(({ id, body }) => (body ? textsOf(body, id) : []))

/** Ids, credentials and times are compared with stored values and are never displayed as sent. */
const NOT_DISPLAYED =
  /(Ids?|(material|standard)Codes?|ids|codes|Time|username|[pP]assword|token|exchangeSsoCode\.code|groupRoles\.map\.\*|client_(id|secret)|scope|token_type_hint|\.id|remove|supersedes|sasUrl)(\.0)?$/
/** Notes and requirements of several lines, and the values of metadata. */
const LINES =
  /([nN]otes?|requirements|confidentialityTerms|(Question|Rfq|CaseMessage)\.(text|publishedText)|[dD]escription(Manufacturer)?|metadata\.\*|\.csv|rejectRegistration\.reason)$/

const BIDIRECTIONAL = [...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069']

test('every text that is displayed is one line, except notes, descriptions and values of metadata', () => {
  const displayed = texts.filter(({ path }) => !NOT_DISPLAYED.test(path))
  const severalLines = displayed.filter(({ schema }) => Value.Check(schema, 'https://a@b.example\nx'))
  expect(severalLines.filter(({ path }) => !LINES.test(path)).map(({ path }) => path)).toEqual([])
})

test('every one-line text refuses bidirectional marks', () => {
  const lines = texts.filter(({ path }) => !NOT_DISPLAYED.test(path) && !LINES.test(path))
  expect(lines.length).toBeGreaterThan(30)
  for (const { path, schema } of lines) {
    const [valid] = (schema.examples as string[] | undefined) ?? ['text']
    expect([path, Value.Check(schema, valid)]).toEqual([path, true])
    for (const mark of BIDIRECTIONAL) {
      const refused = !Value.Check(schema, `${valid?.slice(0, -1)}${mark}`)
      expect([path, mark.codePointAt(0), refused]).toEqual([path, mark.codePointAt(0), true])
    }
  }
})

test('keys of metadata refuse bidirectional marks', () => {
  const records = Object.values(OPERATIONS)
    .flat()
    .flatMap(({ id, body }) => (id === 'createPart' && body ? [body.properties.metadata as TSchema] : []))
  expect(records).toHaveLength(1)
  for (const schema of records) {
    expect(Value.Check(schema, { pump: 'P-101A' })).toBe(true)
    for (const mark of BIDIRECTIONAL) expect(Value.Check(schema, { [`pump${mark}`]: 'P-101A' })).toBe(false)
  }
})

test('no schema refuses duplicates in a list, because services remove them', () => {
  expect(JSON.stringify(OPERATIONS)).not.toContain('uniqueItems')
})

/** The ids of a record in an answer; `rpId` is that of a host. */
const RECORD_IDS = ['id', 'fileId']

test('a command that answers the id of a new record logs it', () => {
  const silent = Object.values(OPERATIONS)
    .flat()
    .filter(({ audit, params, response }) => {
      const answered = Object.keys((response as TSchema | undefined)?.properties ?? {})
      const isNew = !Object.keys(params?.properties ?? {}).includes('id')
      const logged = (audit?.request ?? []).filter((field) => !(field in (params?.properties ?? {})))
      return (
        audit && isNew && answered.some((field) => RECORD_IDS.includes(field)) && !logged.some((f) => /Id$/.test(f))
      )
    })
  expect(silent.map(({ id }) => id)).toEqual([])
})
