import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Part } from '../../../proto/http/sourcing/parts.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'], RACING)
const owner = await market.organization(['IP_OWNER'])
const stranger = await market.organization(['IP_OWNER'])
const { client } = owner.administrator
const isPart = TypeCompiler.Compile(Part)

interface Problem {
  code: string
  errors?: { field: string; message: string }[]
}

async function created(body: object): Promise<string> {
  const answer = await client.post<{ id: string }>('/v1/parts', body)
  expect(answer.status).toBe(200)
  return answer.body.id
}

const READY = { title: 'Impeller', materialType: 'metal' }
const read = (id: string, by: ApiClient = client) => by.get<Part & Problem>(`/v1/parts/${id}`)
const move = (id: string, verb: string, by: ApiClient = client, headers: Record<string, string> = {}) =>
  by.post<Part & Problem>(`/flows/v1/parts/${id}/${verb}`, undefined, headers)
const patch = (id: string, body: unknown, headers: Record<string, string> = {}, by: ApiClient = client) =>
  by.send<Part & Problem>('PATCH', `/flows/v1/parts/${id}`, { body, headers })
const remove = (id: string, by: ApiClient = client) => by.send<Problem>('DELETE', `/flows/v1/parts/${id}`)

async function published(body: object = READY): Promise<string> {
  const id = await created(body)
  expect((await move(id, 'publish')).status).toBe(200)
  return id
}

describe('the states of a part', () => {
  test('DRAFT –publish→ PUBLISHED –archive→ ARCHIVED –unarchive→ PUBLISHED', async () => {
    const id = await created(READY)
    const publishedTime = (await move(id, 'publish')).body.publishedTime
    const archived = await move(id, 'archive')
    expect(archived.body).toMatchObject({ state: 'ARCHIVED', publishedTime })
    const unarchived = await move(id, 'unarchive')
    expect(unarchived.body).toMatchObject({ state: 'PUBLISHED', publishedTime, revision: 1 })
    expect(isPart.Check(unarchived.body)).toBe(true)
  })

  test.each([
    ['DRAFT', [], ['archive', 'unarchive']],
    ['PUBLISHED', ['publish'], ['publish', 'unarchive']],
    ['ARCHIVED', ['publish', 'archive'], ['publish', 'archive']],
  ])('another verb on a part in state %s is 409, and the part does not change', async (state, path, refused) => {
    const id = await created(READY)
    for (const verb of path) await move(id, verb)
    const before = await read(id)
    for (const verb of refused) {
      const answer = await move(id, verb)
      expect([verb, answer.status, answer.body.code]).toEqual([verb, 409, 'illegal_transition'])
    }
    expect((await read(id)).text).toBe(before.text)
    expect(before.body.state).toBe(state as Part['state'])
  })

  test('an archived part is readable only by its IP owner', async () => {
    const id = await published()
    expect((await read(id, stranger.administrator.client)).status).toBe(200)
    await move(id, 'archive')
    expect((await read(id, stranger.administrator.client)).status).toBe(404)
    expect((await read(id)).status).toBe(200)
  })

  test.each(['archive', 'unarchive'])(
    'of concurrent requests to %s one succeeds and the others are 409',
    async (verb) => {
      const id = await published()
      if (verb === 'unarchive') await move(id, 'archive')
      const statuses = (await Promise.all(Array.from({ length: 8 }, () => move(id, verb)))).map(({ status }) => status)
      expect(statuses.sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
    },
  )
})

describe('PATCH /flows/v1/parts/{id}', () => {
  test('changes sent fields, clears null fields, keeps the others, and increments the revision', async () => {
    const id = await created({
      ...READY,
      externalRef: 'A-1',
      keywords: ['a'],
      boundingBox: { x: 1, y: 2 },
      internal: true,
    })
    const answer = await patch(id, {
      externalRef: null,
      description: 'New',
      keywords: ['b', 'b'],
      boundingBox: { z: 3 },
    })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ ...READY, description: 'New', keywords: ['b'], internal: true, revision: 2 })
    expect(answer.body.boundingBox).toEqual({ z: 3 })
    expect(answer.body).not.toHaveProperty('externalRef')
    expect((await read(id)).text).toBe(answer.text)
    expect(isPart.Check(answer.body)).toBe(true)
  })

  test('null resets lists, flags and objects to their defaults', async () => {
    const id = await created({ ...READY, keywords: ['a'], internal: true, metadata: { a: 'b' }, boundingBox: { x: 1 } })
    const { body } = await patch(id, { keywords: null, internal: null, metadata: null, boundingBox: null })
    expect(body).toMatchObject({ keywords: [], internal: false, metadata: {} })
    expect(body).not.toHaveProperty('boundingBox')
  })

  test('an empty boundingBox for a part without one changes nothing', async () => {
    const id = await created(READY)
    const answer = await patch(id, { boundingBox: {} })
    expect([answer.status, answer.body.revision]).toEqual([200, 1])
  })

  test('technologies follow the process', async () => {
    const id = await created({ ...READY, processId: 'pbf-metal' })
    expect((await patch(id, { processId: null })).body.technologyIds).toEqual([])
    expect((await patch(id, { processId: 'pbf-metal' })).body.technologyIds).toEqual(['pbf-lb-m', 'pbf-eb-m'])
  })

  test('a patch without a change keeps the revision and emits no event', async () => {
    const id = await created({ ...READY, keywords: ['a'] })
    const before = await read(id)
    expect((await patch(id, {})).text).toBe(before.text)
    expect((await patch(id, { title: READY.title, keywords: ['a', 'a'] })).text).toBe(before.text)
    const events = await market.db.owner`
      select type from sourcing.outbox where subject = ${id} and type = 'sourcing.part.updated'`
    expect([...events]).toEqual([])
  })

  test.each([
    ['title', { title: ' ' }],
    ['boundingBox.x', { boundingBox: { x: -1 } }],
    ['keywords.0', { keywords: [''] }],
    ['metadata.a', { metadata: { a: 1 } }],
    ['materialType', { materialId: '316l', materialType: 'wax' }],
    ['materialId', { materialId: 'unobtainium' }],
    ['processId', { processId: 'pbf-polymer' }],
    ['standardIds.0', { standardIds: ['nope'] }],
    ['state', { state: 'PUBLISHED' }],
    ['revision', { revision: 7 }],
  ])('a bad %s is 400 and changes nothing', async (field, body) => {
    const id = await created(READY)
    const before = await read(id)
    const answer = await patch(id, body)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_error'])
    expect(answer.body.errors?.map((error) => error.field)).toContain(field)
    expect((await read(id)).text).toBe(before.text)
  })

  test('clearing a required field of a part that has been published is 409 with the fields', async () => {
    const id = await published()
    const answer = await patch(id, { title: null, materialType: null })
    expect([answer.status, answer.body.code]).toEqual([409, 'illegal_transition'])
    expect(answer.body.errors?.map(({ field }) => field)).toEqual(['title', 'materialType'])
    await move(id, 'archive')
    expect((await patch(id, { title: null })).status).toBe(409)
    expect((await patch(await created(READY), { title: null })).status).toBe(200)
  })

  test('`internal` may change at any time', async () => {
    const id = await published()
    expect((await patch(id, { internal: true })).body.internal).toBe(true)
    expect((await read(id, stranger.administrator.client)).status).toBe(404)
    expect((await patch(id, { internal: false })).status).toBe(200)
    expect((await read(id, stranger.administrator.client)).status).toBe(200)
  })

  test('a current If-Match is 200, an outdated one 412', async () => {
    const id = await created(READY)
    const tag = (await read(id)).headers.get('etag') ?? ''
    expect((await patch(id, { title: 'One' }, { 'if-match': tag })).status).toBe(200)
    const answer = await patch(id, { title: 'Two' }, { 'if-match': tag })
    const weak = await patch(id, { title: 'Two' }, { 'if-match': `W/${(await read(id)).headers.get('etag')}` })
    expect(weak.status).toBe(412)
    expect([answer.status, answer.body.code]).toEqual([412, 'precondition_failed'])
    expect((await patch(id, { title: 'Two' }, { 'if-match': '*' })).status).toBe(200)
    expect((await read(id)).body).toMatchObject({ title: 'Two', revision: 3 })
  })

  test('a publication with the If-Match of a draft that was changed since is 412, with the present one 200', async () => {
    const id = await created(READY)
    const tag = (await read(id)).headers.get('etag') ?? ''
    const changed = await patch(id, { internal: true })
    const outdated = await move(id, 'publish', client, { 'if-match': tag })
    expect([outdated.status, outdated.body.code]).toEqual([412, 'precondition_failed'])
    expect((await read(id)).body.state).toBe('DRAFT')
    const present = { 'if-match': changed.headers.get('etag') ?? '' }
    expect((await move(id, 'publish', client, present)).body.state).toBe('PUBLISHED')
  })

  test('the response has the ETag for the next change, also with If-None-Match', async () => {
    const id = await created(READY)
    const first = await patch(id, { title: 'One' }, { 'if-none-match': '*' })
    const tag = first.headers.get('etag') ?? ''
    expect([first.status, tag]).toEqual([200, (await read(id)).headers.get('etag') ?? 'none'])
    expect((await patch(id, { title: 'Two' }, { 'if-match': tag })).status).toBe(200)
    const published = await move(id, 'publish')
    expect((await patch(id, { title: 'Three' }, { 'if-match': published.headers.get('etag') ?? '' })).status).toBe(200)
  })

  test('of concurrent patches with the same If-Match one succeeds', async () => {
    const id = await created(READY)
    const tag = (await read(id)).headers.get('etag') ?? ''
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => patch(id, { title: `Race ${n}` }, { 'if-match': tag })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412, 412, 412])
    expect((await read(id)).body.revision).toBe(2)
  })
})

describe('DELETE /flows/v1/parts/{id}', () => {
  test.each([[[]], [['publish']], [['publish', 'archive']]])(
    'after %p deletes the part: 404 for every organization',
    async (path) => {
      const id = await created(READY)
      for (const verb of path) await move(id, verb)
      const answer = await remove(id)
      expect([answer.status, answer.text]).toEqual([204, ''])
      for (const path of ['', '/history', '/metadata'])
        expect((await client.get(`/v1/parts/${id}${path}`)).status).toBe(404)
      expect((await remove(id)).status).toBe(404)
    },
  )
})

describe('GET /v1/parts/{id}/metadata', () => {
  test('is 200 for organizations that may read the part, 404 for others', async () => {
    const metadata = { pump: 'P-101A', 'Größe "1"': 'ö\\' }
    const id = await published({ ...READY, metadata })
    const foreign = await stranger.administrator.client.get(`/v1/parts/${id}/metadata`)
    expect(foreign.body).toEqual({ metadata })
    expect(foreign.headers.get('etag')).toMatch(/^"/)
    await patch(id, { internal: true })
    expect((await stranger.administrator.client.get(`/v1/parts/${id}/metadata`)).status).toBe(404)
    expect((await client.get(`/v1/parts/${id}/metadata`)).body).toEqual({ metadata })
  })
})

describe('a caller without access', () => {
  const commands = [
    ['patch', (id: string, by: ApiClient) => patch(id, { title: 'Theirs' }, {}, by)],
    ['archive', (id: string, by: ApiClient) => move(id, 'archive', by)],
    ['unarchive', (id: string, by: ApiClient) => move(id, 'unarchive', by)],
    ['delete', (id: string, by: ApiClient) => remove(id, by)],
  ] as const

  test.each(commands)("%s of another organization's part is 404, and the part does not change", async (_, command) => {
    const id = await published()
    const before = await read(id)
    expect((await command(id, stranger.administrator.client)).status).toBe(404)
    expect((await read(id)).text).toBe(before.text)
  })

  test.each(commands)('%s without the permission is 403, with an audit entry', async (verb, command) => {
    const id = await published()
    const member = await owner.member(['app:ip-owner', 'part:create'])
    expect((await command(id, member.client)).status).toBe(403)
    const entries = await market.db.owner`
      select procedure, success, error from organization.audit_log where actor_id = ${member.userId} and procedure like 'part.%'`
    expect([...entries]).toEqual([{ procedure: `part.${verb}`, success: false, error: 'forbidden' }])
  })
})

test('each command writes one audit entry and one event, in order', async () => {
  const member = await owner.member('IP owner')
  const id = await created(READY)
  await patch(id, { title: 'Renamed' }, {}, member.client)
  for (const verb of ['publish', 'archive', 'unarchive']) await move(id, verb, member.client)
  await remove(id, member.client)
  const entries = await market.db.owner<{ procedure: string }[]>`
    select procedure from organization.audit_log
    where actor_id = ${member.userId} and procedure like 'part.%' order by timestamp, id`
  expect(entries.map(({ procedure }) => procedure)).toEqual([
    'part.patch',
    'part.publish',
    'part.archive',
    'part.unarchive',
    'part.delete',
  ])
  const events = await market.db.owner<{ type: string }[]>`
    select type from sourcing.outbox where subject = ${id} order by seq`
  expect(events.map(({ type }) => type.slice('sourcing.part.'.length))).toEqual([
    'created',
    'updated',
    'published',
    'archived',
    'unarchived',
    'deleted',
  ])
})
