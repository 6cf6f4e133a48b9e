import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { newId } from '../../kit/db/ids.ts'
import { AUTHORITY, LOCAL_CERTIFICATE, LOCAL_KEY } from '../../testing/certificates.ts'
import { documentsOf } from '../../testing/documents.ts'
import { describeConformance } from '../../testing/files/conformance/conformance.ts'
import { s3Server } from '../../testing/files/s3-server.ts'
import { cleanUpObjects, storageOf } from '../../testing/files/storage-of.ts'
import { testMarketplace } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'
import { until } from '../../testing/until.ts'
import { S3Storage } from './storage/s3/store.ts'

setDefaultTimeout(60_000)
const server = await s3Server()
afterAll(() => server.close())
const market = await testMarketplace(server.variables)
const { own, settings } = await describeConformance(market, {
  driver: 's3',
  variables: server.variables,
  stop: server.kill,
  start: server.start,
})
const { owner } = market.db
const storage = storageOf(settings)
const inAYear = () => new Date(Date.now() + 365 * 24 * 60 * 60 * 1000)

describe('a file that was uploaded to the store itself', () => {
  test('is PENDING, then READY with an object that has no upload URL, and the upload is deleted', async () => {
    const part = await own.createPart()
    const { id } = await own.uploadBytes('solid impeller')
    await own.changeFiles(part, { add: [{ uploadId: id, group: 'preview' }] })
    const [file] = await own.listFiles(part)
    expect(['PENDING', 'READY']).toContain(file?.state ?? '')
    await until(async () => (await own.listFiles(part))[0]?.state === 'READY')
    const [row] = await owner`select object_key from sourcing.files where id = ${file?.id ?? ''}`
    expect(row?.object_key).toStartWith(`${file?.id}.`)
    await cleanUpObjects({ sql: owner, storage }, new Date())
    expect(await storage.find(id)).toBeUndefined()
    expect(await storage.find(row?.object_key)).toBeDefined()
    const { body } = await own.client.get<{ previewFileId?: string; revision: number }>(`/v1/parts/${part}`)
    expect(body).toMatchObject({ previewFileId: file?.id, revision: 3 })
  })

  test('is unchanged by a second PUT to its upload URL, whose object is deleted later', async () => {
    const part = await own.createPart()
    const upload = await own.uploadBytes('first')
    await own.changeFiles(part, { add: [{ uploadId: upload.id, group: 'document' }] })
    await until(async () => (await own.listFiles(part))[0]?.state === 'READY')
    await cleanUpObjects({ sql: owner, storage }, new Date())
    await own.putBytes(upload, 'second')
    const [file] = await own.listFiles(part)
    expect(await (await own.download(file as never)).text()).toBe('first')
    await cleanUpObjects({ sql: owner, storage }, inAYear())
    expect(await storage.find(upload.id)).toBeUndefined()
    expect(await (await own.download(file as never)).text()).toBe('first')
  })

  test('is FAILED if the upload was overwritten before it was copied', async () => {
    const part = await own.createPart()
    const { id } = await own.uploadBytes('second')
    const fileId = newId('file')
    await owner`
      insert into sourcing.files (id, part_id, org_id, name, file_group, state, public, counted_bytes, created_at)
      select ${fileId}, id, ip_owner_org_id, 'a', 'document', 'PENDING', false, 5, now()
      from sourcing.parts where id = ${part}`
    await owner`
      insert into sourcing.jobs (kind, id, data, created_at, due_at)
      values ('file-copy', ${fileId}, jsonb_build_object('sourceKey', ${id}::text, 'sourceEtag', '"of the first"'),
        now(), now())`
    await until(async () => (await own.listFiles(part))[0]?.state === 'FAILED')
    const [row] = await owner`select reason, counted_bytes from sourcing.files where id = ${fileId}`
    expect(row).toEqual({ reason: 'source_changed', counted_bytes: '0' })
  })

  test('over the size limit is FAILED at once, and its object is deleted', async () => {
    const part = await own.createPart()
    const upload = await own.createUpload()
    const block = new Uint8Array(1024 * 1024)
    const body = new Blob([...Array.from({ length: 512 }, () => block), new Uint8Array(1)])
    expect(body.size).toBe(536_870_913)
    expect((await own.putBytes(upload, body)).status).toBe(200)
    expect((await own.changeFiles(part, { add: [{ uploadId: upload.id, group: 'document' }] })).status).toBe(204)
    expect((await own.listFiles(part))[0]).toMatchObject({ state: 'FAILED' })
    const [row] = await owner`select reason from sourcing.files where part_id = ${part}`
    expect(row).toEqual({ reason: 'too_large' })
    await cleanUpObjects({ sql: owner, storage }, new Date())
    expect(await storage.find(upload.id)).toBeUndefined()
  })

  test('is copied after the store has recovered', async () => {
    const part = await own.createPart()
    const { id } = await own.uploadBytes('patience')
    await own.changeFiles(part, { add: [{ uploadId: id, group: 'document' }] })
    await server.kill()
    await server.start()
    await until(async () => (await own.listFiles(part))[0]?.state === 'READY', { withinMs: 40_000 })
  })
})

describe('a document', () => {
  test('is PENDING, then READY, also in a revision that copied it meanwhile; its object remains while one has it', async () => {
    const { maker, seller, draftOffer } = await offerParties(market)
    const documents = documentsOf(market, maker.administrator.client)
    const id = await draftOffer()
    const document = await documents.add('offers', id, { kind: 'QUOTE' }, 'solid quote')
    expect(['PENDING', 'READY']).toContain(document.state)
    await seller.act(id, 'submit')
    const revision = (await seller.act(id, 'revise')).body.id
    const readyIn = (offer: string) =>
      until(async () => (await documents.list('offers', offer)).body.items.find(({ state }) => state === 'READY'))
    const [first, copy] = [await readyIn(id), await readyIn(revision)]
    expect(await (await documents.download(copy)).text()).toBe('solid quote')
    await documents.change('offers', revision, { remove: [copy.id] })
    await cleanUpObjects({ sql: owner, storage }, inAYear())
    const answer = await documents.download(first)
    expect([await answer.text(), answer.headers.get('content-disposition')?.split(';')[0]]).toEqual([
      'solid quote',
      'attachment',
    ])
  })
})

describe('the headers that an uploader sets', () => {
  const uploaderHeaders = {
    'content-encoding': 'gzip',
    'content-type': 'text/html',
    'content-language': 'de',
    'cache-control': 'public, max-age=31536000',
    expires: 'Fri, 01 Jan 2100 00:00:00 GMT',
  }
  const compressed = Bun.gzipSync(Buffer.from('solid impeller\n'.repeat(1000)))

  test.each([
    ['compressed bytes', compressed, 'application/gzip'],
    ['uncompressed bytes', new TextEncoder().encode('solid impeller'), 'text/plain; charset=utf-8'],
  ])('do not change %s', async (_, bytes, contentType) => {
    const part = await own.createPart()
    const upload = await own.createUpload()
    const headers = { ...upload.headers, ...uploaderHeaders }
    expect((await own.putBytes({ ...upload, headers }, bytes)).status).toBe(200)
    expect((await own.changeFiles(part, { add: [{ uploadId: upload.id, group: 'document' }] })).status).toBe(204)
    const file = await until(async () => (await own.listFiles(part)).find(({ state }) => state === 'READY'))
    const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
    expect(file).toMatchObject({ size: bytes.byteLength, sha256, contentType })
    const answer = await own.download(file)
    for (const name of ['content-encoding', 'content-language', 'cache-control', 'expires']) {
      expect([name, answer.headers.get(name)]).toEqual([name, null])
    }
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array(bytes))
  })
})

describe('a wrong store configuration', () => {
  test('with a missing bucket is 503', async () => {
    const missing = storageOf({ ...settings, variables: { ...server.variables, S3_BUCKET: 'no-such-bucket' } })
    const incoming = { maxBytes: 10, signal: AbortSignal.timeout(5000) }
    const requests = [
      () => missing.find('file_x'),
      () => missing.put('file_x', new Blob(['x']).stream(), incoming),
      () => missing.remove('file_x'),
      () => missing.copy('file_x', 'file_y', '"x"', incoming.signal),
    ]
    for (const request of requests) await expect(request()).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('with a wrong access key is 503', async () => {
    const withWrongKey = storageOf({ ...settings, variables: { ...server.variables, S3_SECRET_ACCESS_KEY: 'wrong' } })
    const refused = { code: 'unavailable', detail: 'The file store denied access.', cause: { status: 403 } }
    await expect(withWrongKey.find('file_x')).rejects.toMatchObject(refused)
    await expect(withWrongKey.remove('file_x')).rejects.toMatchObject(refused)
  })
})

describe('an incomplete multipart upload', () => {
  test('is deleted after its retention time, and not before', async () => {
    const { uploadId } = await createIncomplete()
    await storage.removeIncomplete(new Date(Date.now() - 60_000))
    expect(await openUploads()).toContain(uploadId)
    await storage.removeIncomplete(new Date(Date.now() + 60_000))
    expect(await openUploads()).not.toContain(uploadId)
  })

  /** Creates a multipart upload as a killed process leaves it. */
  async function createIncomplete(): Promise<{ uploadId: string }> {
    const text = await signedText('POST', 'file_incomplete?uploads')
    return { uploadId: /<UploadId>([^<]+)</.exec(text)?.[1] ?? '' }
  }
  const openUploads = () => signedText('GET', '?uploads')

  async function signedText(method: string, target: string): Promise<string> {
    const { AwsClient } = await import('aws4fetch')
    const { S3_ACCESS_KEY_ID: accessKeyId = '', S3_SECRET_ACCESS_KEY: secretAccessKey = '' } = server.variables
    const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'us-east-1' })
    return (await client.fetch(`${server.endpoint}/files/${target}`, { method })).text()
  }
})

describe('over TLS', () => {
  test('a private authority is trusted only if it is configured', async () => {
    const secure = await s3Server({ cert: LOCAL_CERTIFICATE, key: LOCAL_KEY })
    const { S3_BUCKET: bucket = '', S3_ACCESS_KEY_ID: id = '', S3_SECRET_ACCESS_KEY: secret = '' } = secure.variables
    const options = {
      endpoint: secure.endpoint,
      publicEndpoint: secure.endpoint,
      bucket,
      region: 'us-east-1',
      credentials: async () => ({ accessKeyId: id, secretAccessKey: secret }),
      addressing: 'path' as const,
      conditionalPut: true,
      clock: Date.now,
    }
    expect(await new S3Storage({ ...options, ca: AUTHORITY }).find('file_x')).toBeUndefined()
    await expect(new S3Storage(options).find('file_x')).rejects.toMatchObject({ code: 'unavailable' })
    await secure.close()
  })
})
