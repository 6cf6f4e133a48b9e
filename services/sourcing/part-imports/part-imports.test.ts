import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { PartImport } from '../../../proto/http/sourcing/part-imports.ts'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'])
const owner = await market.organization(['IP_OWNER'])
const other = await market.organization(['IP_OWNER'])
const { client } = owner.administrator
const isAnswer = TypeCompiler.Compile(PartImport)

interface Refused {
  code: string
  errors: { field: string; message: string }[]
}

const CSV = { 'content-type': 'text/csv' }
const send = (csv: string, { by = client, dryRun = false, headers = {} } = {}) =>
  by.post<PartImport & Partial<Refused>>(`/flows/v1/part-imports${dryRun ? '?dryRun=true' : ''}`, csv, {
    ...CSV,
    ...headers,
  })
const read = async (id: string | undefined, by: ApiClient = client) => (await by.get<Part>(`/v1/parts/${id}`)).body
const create = async (body: object, by: ApiClient = client) =>
  (await by.post<{ id: string }>('/v1/parts', body)).body.id
const ownParts = async (by: ApiClient = client) =>
  (await by.get<{ items: Part[] }>('/v1/parts?view=IP_OWNER')).body.items

let references = 0
const LINE = 'must be text of 1 to 200 characters: one line without control or bidirectional characters, not blank'
const newReference = () => `REF-${++references}`

describe('an import', () => {
  test('creates a DRAFT for each row, whose part has the row’s fields and the technologies of its process', async () => {
    const [a, b] = [newReference(), newReference()]
    const answer = await send(
      `externalRef;title;materialId;processId;materialNote\r\n${a};"Hub; small";316l;pbf-metal;"one\ntwo"\r\n${b};Ring;;;\r\n`,
    )
    expect([answer.status, isAnswer.Check(answer.body)]).toEqual([200, true])
    const { rows, ...counts } = answer.body
    expect(counts).toEqual({ created: 2, updated: 0, unchanged: 0, problems: [] })
    expect(rows.map(({ row, action }) => [row, action])).toEqual([
      [2, 'CREATE'],
      [3, 'CREATE'],
    ])
    expect(await read(rows[0]?.partId)).toMatchObject({
      state: 'DRAFT',
      revision: 1,
      externalRef: a,
      title: 'Hub; small',
      materialId: '316l',
      processId: 'pbf-metal',
      materialNote: 'one\ntwo',
      technologyIds: ['pbf-lb-m', 'pbf-eb-m'],
    })
    const ring = await read(rows[1]?.partId)
    expect(ring).toMatchObject({ externalRef: b, title: 'Ring' })
    expect('materialNote' in ring).toBe(false)
    expect((await ownParts()).slice(0, 2).map(({ externalRef }) => externalRef)).toEqual([b, a])
  })

  test('changes the part that has the reference; an empty cell and other fields stay as they are', async () => {
    const reference = newReference()
    const id = await create({ externalRef: reference, title: 'Hub', description: 'Old.', keywords: ['hub'] })
    const { body } = await send(`externalRef,title,description\n${reference},Hub 2,\n`)
    expect(body).toEqual({
      created: 0,
      updated: 1,
      unchanged: 0,
      rows: [{ row: 2, action: 'UPDATE', partId: id }],
      problems: [],
    })
    expect(await read(id)).toMatchObject({ title: 'Hub 2', description: 'Old.', keywords: ['hub'], revision: 2 })
  })

  test('leaves a part that equals its row as it is: no revision, history or event', async () => {
    const reference = newReference()
    const id = await create({ externalRef: reference, title: 'Hub' })
    const { body } = await send(`externalRef,title\n${reference},Hub\n`)
    expect([body.unchanged, body.rows[0]?.action]).toEqual([1, 'NONE'])
    expect((await read(id)).revision).toBe(1)
    const { body: history } = await client.get<{ items: unknown[] }>(`/v1/parts/${id}/history`)
    expect(history.items).toHaveLength(1)
    const events = await market.db.owner`select type from sourcing.outbox where subject = ${id}`
    expect(events.map(({ type }) => type)).toEqual(['sourcing.part.created'])
  })

  test('finds only own parts: the same reference of another organization is no match', async () => {
    const reference = newReference()
    const foreign = await create({ externalRef: reference, title: 'Theirs' }, other.administrator.client)
    const { body } = await send(`externalRef,title\n${reference},Ours\n`)
    expect(body.rows[0]?.action).toBe('CREATE')
    expect((await read(foreign, other.administrator.client)).title).toBe('Theirs')
  })

  test('writes one audit entry with the counts, and a history and an event for each part', async () => {
    const member = await owner.member('IP owner')
    const references = [newReference(), newReference()]
    const { body } = await send(`externalRef\n${references.join('\n')}\n`, { by: member.client })
    const entries = await market.db.owner`
      select procedure, request from organization.audit_log where actor_id = ${member.userId} and procedure like 'part%'`
    expect(entries.map(({ procedure, request }) => [procedure, request])).toEqual([
      ['partImport.create', { created: 2, updated: 0, unchanged: 0 }],
    ])
    for (const { partId = '' } of body.rows) {
      const events = await market.db.owner`select type from sourcing.outbox where subject = ${partId}`
      expect(events.map(({ type }) => type)).toEqual(['sourcing.part.created'])
      const history = await client.get<{ items: { type: string }[] }>(`/v1/parts/${partId}/history`)
      expect(history.body.items).toHaveLength(1)
    }
  })

  test('with the Idempotency-Key of an earlier one creates nothing more', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const csv = `externalRef,title\n${newReference()},Once\n`
    const [first, second] = [await send(csv, { headers }), await send(csv, { headers })]
    expect(second.text).toBe(first.text)
  })

  test('may also be the field `csv` of a JSON body', async () => {
    const csv = `externalRef\n${newReference()}\n`
    expect((await client.post<PartImport>('/flows/v1/part-imports', { csv })).body.created).toBe(1)
  })

  test('that runs beside another one with the same rows creates each part once', async () => {
    const references = Array.from({ length: 20 }, newReference)
    const csv = `externalRef\n${references.join('\n')}\n`
    const answers = await Promise.all([send(csv), send(csv), send(csv.split('\n').toReversed().join('\n').trim())])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400])
    expect(
      answers
        .slice(0, 2)
        .map(({ body }) => body.created)
        .toSorted(),
    ).toEqual([0, 20])
  })
})

describe('a row with a problem', () => {
  const cases: [string, string, string, string][] = [
    ['an unknown material', 'materialId', 'unobtainium', 'there is no material `unobtainium`; see GET /v1/materials'],
    ['an unknown process', 'processId', 'nope', 'there is no process `nope`; see GET /v1/processes'],
    ['an unknown unit', 'unitSystem', 'metric', 'must be one of METRIC, IMPERIAL'],
    ['a long title', 'title', 'x'.repeat(201), LINE],
    ['two lines in a title', 'title', '"a\nb"', LINE],
  ]
  test.each(cases)(
    '(%s) is named by row and column, and no row of the table is written',
    async (_, column, cell, message) => {
      const [good, bad] = [newReference(), newReference()]
      const csv = `externalRef,${column}\n${good},\n${bad},${cell}\n`
      const dryRun = await send(csv, { dryRun: true })
      expect([dryRun.status, dryRun.body.problems]).toEqual([200, [{ row: 3, field: column, message }]])
      expect(dryRun.body.rows.map(({ action }) => action)).toEqual(['CREATE', 'REFUSE'])
      const refused = await send(csv)
      expect([refused.status, refused.body.errors]).toEqual([400, [{ field: `rows.3.${column}`, message }]])
      expect((await ownParts()).filter(({ externalRef = '' }) => [good, bad].includes(externalRef))).toEqual([])
    },
  )

  test('is one without a reference, with that of an earlier row, or of several parts', async () => {
    const [twice, several] = [newReference(), newReference()]
    await create({ externalRef: several })
    await create({ externalRef: several })
    const { body } = await send(`externalRef,title\n,No reference\n${twice},a\n${twice},b\n${several},c\n`, {
      dryRun: true,
    })
    expect(body.problems).toEqual([
      { row: 2, field: 'externalRef', message: 'is required' },
      { row: 4, field: 'externalRef', message: 'is that of row 3' },
      { row: 5, field: 'externalRef', message: 'names more than one of your parts' },
    ])
  })

  test('is one whose material contradicts what its part keeps', async () => {
    const reference = newReference()
    await create({ externalRef: reference, materialType: 'metal', processId: 'pbf-metal' })
    const { body } = await send(`externalRef,materialType\n${reference},polymer\n`, { dryRun: true })
    expect(body.problems.map(({ field }) => field)).toEqual(['processId'])
  })

  test('is one that changes a part, for a caller without part:update', async () => {
    const reference = newReference()
    await create({ externalRef: reference, title: 'Hub' })
    const creator = await owner.member(['part:create'])
    const answer = await send(`externalRef,title\n${reference},Other\n`, { by: creator.client })
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [{ field: 'rows.2.externalRef', message: 'names a part that you may not change' }],
    ])
    expect((await send(`externalRef,title\n${reference},Hub\n`, { by: creator.client })).body.unchanged).toBe(1)
  })
})

describe('a dry run', () => {
  test('says what each row would do, with its cells, and writes nothing', async () => {
    const [known, fresh] = [newReference(), newReference()]
    const id = await create({ externalRef: known, title: 'Hub' })
    const member = await owner.member('IP owner')
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const csv = `externalRef,title\n${known}, Hub 2 \n${fresh},\n`
    const { body } = await send(csv, { dryRun: true, by: member.client, headers })
    expect(isAnswer.Check(body)).toBe(true)
    expect(body).toEqual({
      created: 1,
      updated: 1,
      unchanged: 0,
      rows: [
        { row: 2, action: 'UPDATE', partId: id, cells: { externalRef: known, title: 'Hub 2' } },
        { row: 3, action: 'CREATE', cells: { externalRef: fresh } },
      ],
      problems: [],
      warnings: [{ row: 3, field: 'title', message: 'is missing, so the part cannot be published yet' }],
    })
    expect((await read(id)).title).toBe('Hub')
    expect(
      await market.db.owner`
      select procedure from organization.audit_log where actor_id = ${member.userId} and procedure like 'part%'`,
    ).toHaveLength(0)
    // The key is free for the import itself.
    expect((await send(csv, { by: member.client, headers })).body).toMatchObject({ created: 1, updated: 1 })
  })
})

describe('a table', () => {
  test.each([
    ['an unknown column', 'externalRef,titel\nA,b\n', 'csv', 'has an unknown name in column 2; did you mean `title`?'],
    ['no reference', 'title\nHub\n', 'csv', 'must have the column `externalRef`'],
    ['no row', 'externalRef\n', 'csv', 'must have a row below its header'],
    ['NUL', 'externalRef\nA\0\n', 'csv', 'must not contain NUL'],
    [
      '1,001 rows',
      `externalRef\n${Array.from({ length: 1001 }, (_, n) => `A${n}`).join('\n')}`,
      'csv',
      'must have at most 1000 rows',
    ],
  ])('with %s is 400, in a dry run, too', async (_, csv, field, message) => {
    for (const dryRun of [false, true]) {
      const answer = await send(csv, { dryRun })
      expect([answer.status, answer.body.errors]).toEqual([400, [{ field, message }]])
    }
  })

  test('in another encoding than UTF-8 is 400, and says how to save it', async () => {
    const response = await fetch(`${market.url}/flows/v1/part-imports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.accessToken}`, ...CSV },
      body: Buffer.from('externalRef,title\nA,Größe\n', 'latin1'),
    })
    const { errors } = (await response.json()) as Refused
    expect([response.status, errors[0]?.message]).toEqual([
      400,
      'must be CSV in UTF-8; spreadsheets call it "CSV UTF-8"',
    ])
  })

  test.each(['text/plain', 'text/csv; charset=iso-8859-1', 'application/vnd.ms-excel'])(
    'as %p is 415',
    async (type) => {
      expect((await send('externalRef\nA\n', { headers: { 'content-type': type } })).status).toBe(415)
    },
  )

  test('needs part:create', async () => {
    const reader = await owner.member('Viewer')
    expect((await send('externalRef\nA\n', { by: reader.client })).status).toBe(403)
    expect((await send('externalRef\nA\n', { by: reader.client, dryRun: true })).status).toBe(403)
  })
})

test('1,000 parts are imported at once', async () => {
  const by = (await market.organization(['IP_OWNER'])).administrator.client
  const rows = Array.from({ length: 1000 }, (_, n) => `N-${n},Part ${n},316l,pbf-metal`)
  const { status, body } = await send(`externalRef,title,materialId,processId\n${rows.join('\n')}`, { by })
  expect([status, body.created]).toEqual([200, 1000])
  const changed = await send(`externalRef,title\n${rows.map((_, n) => `N-${n},Part ${n} b`).join('\n')}`, { by })
  expect([changed.status, changed.body.updated]).toEqual([200, 1000])
  const [newest] = await ownParts(by)
  expect(newest).toMatchObject({ externalRef: 'N-999', title: 'Part 999 b' })
})
