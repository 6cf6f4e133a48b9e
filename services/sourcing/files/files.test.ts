import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { File, type FileGroup } from '../../../proto/http/sourcing/files.ts'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { newId } from '../../kit/db/ids.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'], { ...RACING, STORED_BYTES_MAX: '1000000', UPLOADS_OPEN_MAX: '1000' })
const owner = await market.organization(['IP_OWNER'])
const other = await market.organization(['IP_OWNER', 'CONSUMER'])
const own = new FileClient(market, owner.administrator.client)
const foreign = new FileClient(market, other.administrator.client)
const isFile = TypeCompiler.Compile(File)

const partOf = async (id: string) => (await own.client.get<Part>(`/v1/parts/${id}`)).body

describe('adding a file', () => {
  test('makes it READY with the size, type and hash of its bytes', async () => {
    const part = await own.createPart()
    const { id } = await own.uploadBytes('%PDF-1.7 drawing', 'drawing.exe')
    const answer = await own.changeFiles(part, {
      add: [{ uploadId: id, group: 'document', name: 'Zeichnung „A“.pdf' }],
    })
    expect([answer.status, answer.text]).toEqual([204, ''])
    const [file, ...rest] = await own.listFiles(part)
    expect(rest).toEqual([])
    expect(isFile.Check(file)).toBe(true)
    expect(file).toMatchObject({
      name: 'Zeichnung „A“.pdf',
      group: 'document',
      state: 'READY',
      public: false,
      size: 16,
      contentType: 'application/pdf',
      sha256: new Bun.CryptoHasher('sha256').update('%PDF-1.7 drawing').digest('hex'),
    })
  })

  test('increments the revision once per request, and selects the newest READY preview', async () => {
    const part = await own.createPart()
    const before = await partOf(part)
    const first = await own.addFile(part, 'one', 'preview')
    expect(await partOf(part)).toMatchObject({ revision: 2, previewFileId: first.id })
    const second = await own.addFile(part, 'two', 'preview')
    await own.addFile(part, 'three', 'document')
    expect(await partOf(part)).toMatchObject({ revision: 4, previewFileId: second.id })
    expect((await own.changeFiles(part, { remove: [second.id] })).status).toBe(204)
    const after = await partOf(part)
    expect(after).toMatchObject({ revision: 5, previewFileId: first.id })
    expect(Date.parse(after.updatedTime)).toBeGreaterThan(Date.parse(before.updatedTime))
    await own.changeFiles(part, { remove: [first.id] })
    expect((await partOf(part)).previewFileId).toBeUndefined()
  })

  test('lists files newest first, in the order of the request', async () => {
    const part = await own.createPart()
    const uploads = await Promise.all(['a', 'b', 'c'].map((name) => own.uploadBytes(name, name)))
    await own.changeFiles(part, { add: uploads.map(({ id }) => ({ uploadId: id, group: 'document' })) })
    expect((await own.listFiles(part)).map(({ name }) => name)).toEqual(['c', 'b', 'a'])
  })

  test('from an upload that is attached already is 409', async () => {
    const part = await own.createPart()
    const { id } = await own.uploadBytes()
    const add = [{ uploadId: id, group: 'document' }]
    expect((await own.changeFiles(part, { add })).status).toBe(204)
    const again = await own.changeFiles(await own.createPart(), { add })
    expect([again.status, again.body.code]).toEqual([409, 'conflict'])
  })

  test('from one upload in concurrent requests succeeds exactly once', async () => {
    const parts = await Promise.all([own.createPart(), own.createPart(), own.createPart()])
    const { id } = await own.uploadBytes()
    const racing = Array.from({ length: 12 }, (_, n) =>
      own.changeFiles(parts[n % 3] as string, { add: [{ uploadId: id, group: 'document' }] }),
    )
    const statuses = (await Promise.all(racing)).map(({ status }) => status).sort()
    expect(statuses).toEqual([204, ...Array(11).fill(409)])
    const files = await Promise.all(parts.map((part) => own.listFiles(part)))
    expect(files.flat()).toHaveLength(1)
  })

  test('from the same uploads in opposite order does not deadlock', async () => {
    const [part, otherPart] = [await own.createPart(), await own.createPart()]
    const uploads = await Promise.all(Array.from({ length: 20 }, () => own.uploadBytes()))
    const add = uploads.map(({ id }) => ({ uploadId: id, group: 'document' }))
    const answers = await Promise.all([
      own.changeFiles(part, { add }),
      own.changeFiles(otherPart, { add: [...add].reverse() }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
  })

  test('from an incomplete or expired upload is 409', async () => {
    const part = await own.createPart()
    const open = await own.createUpload()
    const incomplete = await own.changeFiles(part, { add: [{ uploadId: open.id, group: 'document' }] })
    expect([incomplete.status, incomplete.body.errors?.[0]?.field]).toEqual([409, 'add.0.uploadId'])
    const late = await own.uploadBytes()
    await market.db.owner`update sourcing.uploads set expires_at = now() where id = ${late.id}`
    expect((await own.changeFiles(part, { add: [{ uploadId: late.id, group: 'document' }] })).status).toBe(409)
  })

  test("from another organization's upload is 400 like an unknown one", async () => {
    const part = await own.createPart()
    const theirs = await foreign.uploadBytes()
    const unknown = newId('upload')
    for (const [uploadId, named] of [
      [theirs.id, `\`${theirs.id}\``],
      [unknown, `\`${unknown}\``],
      ['../../etc/passwd', 'with this id'],
    ] as const) {
      const { status, body } = await own.changeFiles(part, { add: [{ uploadId, group: 'document' }] })
      const message = `there is no upload ${named} in your organization`
      expect([status, body.errors]).toEqual([400, [{ field: 'add.0.uploadId', message }]])
    }
    expect((await own.listFiles(part)).length).toBe(0)
  })

  test.each(['ip', 'partDevelopment', 'development'] as const)('as public in group %s is 400', async (group) => {
    const { id } = await own.uploadBytes('x', 'a', true)
    const { status, body } = await own.changeFiles(await own.createPart(), { add: [{ uploadId: id, group }] })
    expect([status, body.errors?.[0]?.field]).toEqual([400, 'add.0.group'])
  })

  test('beyond 200 files of a part is 409', async () => {
    const part = await own.createPart()
    await market.db.owner`
      insert into sourcing.files (id, part_id, org_id, name, file_group, state, reason, public, created_at)
      select 'file_' || n, ${part}, ${owner.orgId}, 'a', 'document', 'FAILED', 'too_large', false, now()
      from generate_series(1, 199) n`
    const [first, second] = [await own.uploadBytes(), await own.uploadBytes()]
    const both = [first, second].map(({ id }) => ({ uploadId: id, group: 'document' }))
    const tooMany = await own.changeFiles(part, { add: both })
    expect([tooMany.status, tooMany.body.code]).toEqual([409, 'limit_reached'])
    expect((await own.changeFiles(part, { add: both, remove: ['file_1'] })).status).toBe(204)
  })

  test('beyond the storage limit of the organization is 409; removing a file in the same request makes room', async () => {
    const small = await market.organization(['IP_OWNER'])
    const theirs = new FileClient(market, small.administrator.client)
    const part = await theirs.createPart()
    const file = await theirs.addFile(part, 'x'.repeat(600_000))
    const more = await theirs.uploadBytes('x'.repeat(600_000))
    const refused = await theirs.changeFiles(part, { add: [{ uploadId: more.id, group: 'document' }] })
    expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
    const add = [{ uploadId: more.id, group: 'document' }]
    expect((await theirs.changeFiles(part, { add, remove: [file.id] })).status).toBe(204)
  })
})

describe('PATCH /v1/parts/{id}/files', () => {
  test('is all or nothing', async () => {
    const part = await own.createPart()
    const kept = await own.addFile(part, 'kept')
    const { id } = await own.uploadBytes()
    const before = await partOf(part)
    const add = [{ uploadId: id, group: 'document' }]
    for (const body of [
      { add, remove: [newId('file')] },
      { add: [...add, { uploadId: newId('upload'), group: 'document' }], remove: [kept.id] },
      { add: [...add, { uploadId: (await own.createUpload()).id, group: 'document' }], remove: [kept.id] },
    ]) {
      expect([400, 409]).toContain((await own.changeFiles(part, body)).status)
    }
    expect((await own.listFiles(part)).map((file) => file.id)).toEqual([kept.id])
    expect(await partOf(part)).toEqual(before)
    expect((await own.changeFiles(part, { add, remove: [kept.id] })).status).toBe(204)
  })

  test.each([
    ['nothing', {}, 'body'],
    ['empty lists', { add: [], remove: [] }, 'body'],
    ['an unknown group', { add: [{ uploadId: 'a', group: 'IP' }] }, 'add.0.group'],
    ['a bad name', { add: [{ uploadId: 'a', group: 'ip', name: '../a' }] }, 'add.0.name'],
    [
      'one upload twice',
      {
        add: [
          { uploadId: 'a', group: 'ip' },
          { uploadId: 'a', group: 'ip' },
        ],
      },
      'add.1.uploadId',
    ],
    ['more than 200', { remove: Array.from({ length: 201 }, () => 'a') }, 'remove'],
    ['null', { add: null }, 'add'],
    ['an unknown field', { add: [], delete: [] }, 'delete'],
  ])('with %s is 400', async (_, body, field) => {
    const { status, body: problem } = await own.changeFiles(await own.createPart(), body)
    expect([status, problem.errors?.map((error) => error.field)]).toEqual([400, expect.arrayContaining([field])])
  })

  test('with a file id of another part is 400; a repeated id counts once', async () => {
    const [part, otherPart] = [await own.createPart(), await own.createPart()]
    const file = await own.addFile(part, 'x')
    const wrong = await own.changeFiles(otherPart, { remove: [file.id] })
    expect([wrong.status, wrong.body.errors?.[0]?.field]).toEqual([400, 'remove.0'])
    expect((await own.changeFiles(part, { remove: [file.id, file.id] })).status).toBe(204)
    expect((await own.changeFiles(part, { remove: [file.id] })).status).toBe(400)
  })

  test("on another organization's part is 404 even if it can be read", async () => {
    const part = await own.createPublishedPart()
    const { id } = await foreign.uploadBytes()
    const add = [{ uploadId: id, group: 'document' }]
    const answers = await Promise.all(
      [part, await own.createPart(), newId('part')].map((each) => foreign.changeFiles(each, { add })),
    )
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  })

  test('without file:write is 403', async () => {
    const part = await own.createPart()
    const member = await owner.member(['part:create', 'part:update'])
    expect((await new FileClient(market, member.client).changeFiles(part, { remove: ['a'] })).status).toBe(403)
  })

  test.each([
    ['without files', {}, 'body'],
    ['with empty lists', { add: [], remove: [] }, 'body'],
    [
      'that names one upload twice',
      { add: ['document', 'ip'].map((group) => ({ uploadId: 'upload_a', group })) },
      'add.1.uploadId',
    ],
  ])('%s is 400 before the permission and the part are checked', async (_, body, field) => {
    const member = await owner.member(['part:create'])
    const part = await own.createPublishedPart()
    for (const [by, id] of [
      [new FileClient(market, member.client), part],
      [foreign, part],
      [own, newId('part')],
    ] as const) {
      const answer = await by.changeFiles(id, body)
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field])
    }
  })

  test('emits one event and writes one audit entry', async () => {
    const part = await own.createPart()
    await own.addFile(part, 'x')
    const events = await market.db.owner`
      select tenant_id, data from sourcing.outbox where subject = ${part} and type = 'sourcing.part.filesChanged'`
    expect(events.map(({ tenant_id }) => tenant_id)).toEqual([owner.orgId])
    const entries = await market.db.owner`
      select success from organization.audit_log where procedure = 'part.updateFiles' and request ->> 'id' = ${part}`
    expect([...entries]).toEqual([{ success: true }])
  })
})

describe('GET /v1/parts/{id}/files', () => {
  test('shows the owner every group, and others preview and document of a published part', async () => {
    const part = await own.createPart()
    const groups: FileGroup[] = ['preview', 'document', 'ip', 'partDevelopment', 'development']
    for (const group of groups) await own.addFile(part, group, group)
    expect((await own.listFiles(part)).map(({ group }) => group)).toEqual(groups.toReversed())
    const path = `/v1/parts/${part}/files`
    expect((await foreign.client.get(path)).status).toBe(404)
    await own.client.post(`/flows/v1/parts/${part}/publish`)
    expect((await foreign.listFiles(part)).map(({ group }) => group)).toEqual(['document', 'preview'])
    const internal = await own.createPublishedPart({ internal: true })
    expect((await foreign.client.get(`/v1/parts/${internal}/files`)).status).toBe(404)
    expect((await market.anonymous.get(path)).status).toBe(401)
  })
})
