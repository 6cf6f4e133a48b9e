import { describe, expect, test } from 'bun:test'
import { newId } from '../../kit/db/ids.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'])
const owner = await market.organization(['IP_OWNER'])
const own = new FileClient(market, owner.administrator.client)
const part = await own.createPublishedPart()
const BYTES = Uint8Array.from({ length: 100_000 }, (_, n) => n % 251)
const file = await own.addFile(part, BYTES, 'document', 'Größe 図面 "x".bin')
const open = await own.addFile(part, '<script>alert(1)</script>', 'document', 'a.html', true)

describe('a download', () => {
  test('returns the bytes as an attachment with its name in any language', async () => {
    const answer = await own.download(file)
    expect(answer.status).toBe(200)
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(BYTES)
    const disposition = answer.headers.get('content-disposition') ?? ''
    expect(disposition).toStartWith('attachment; filename="')
    expect(disposition).toContain("filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E5%9B%B3%E9%9D%A2%20%22x%22.bin")
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
    expect(answer.headers.get('content-length')).toBe('100000')
    expect(answer.headers.get('content-security-policy')).toContain('sandbox')
  })

  test.each([
    ['page.html', '<!doctype html><script>alert(1)</script>'],
    ['image.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['a.xml', '<?xml version="1.0"?><a xmlns="http://www.w3.org/1999/xhtml"/>'],
    ['text.txt', 'long text, and then <script>alert(1)</script>'],
    ['utf16.html', Buffer.from('\ufeff<script>alert(1)</script>', 'utf16le')],
    ['gif.html', `GIF89a/*${'x'.repeat(50)}*/=1;<script>alert(1)</script>`],
  ])('of %s has no type that a browser displays as a page', async (name, bytes) => {
    const made = await own.addFile(part, bytes, 'document', name)
    const { headers } = await own.download(made)
    expect(headers.get('content-type')).not.toMatch(/html|svg|xml|script/)
    expect(headers.get('content-disposition')).toStartWith('attachment')
  })

  test.each([
    ['bytes=0-0', 206, [0, 0]],
    ['bytes=10-19', 206, [10, 19]],
    ['bytes=99990-', 206, [99_990, 99_999]],
    ['bytes=-10', 206, [99_990, 99_999]],
    ['bytes=99990-200000', 206, [99_990, 99_999]],
    ['bytes=-200000', 206, [0, 99_999]],
    ['BYTES=10-19', 206, [10, 19]],
    ['bytes= 10 - 19', 206, [10, 19]],
    ['bytes=00000000000000000010-19', 206, [10, 19]],
    ['bytes=100000-', 416, undefined],
    ['Bytes =100000-', 416, undefined],
    ['bytes=-0', 416, undefined],
    ['bytes=5-4', 200, undefined],
    ['bytes=0-1,5-6', 200, undefined],
    ['items=0-1', 200, undefined],
    ['bytes=a-b', 200, undefined],
    ['bytes=-', 200, undefined],
    ['bytes=99999999999999999999-', 200, undefined],
  ] as const)('with the range %s is %d', async (range, status, span) => {
    const answer = await own.download(file, { range })
    expect(answer.status).toBe(status)
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const head = await fetch(own.localUrl(file.downloadUrl ?? ''), { method: 'HEAD', headers: { range } })
    // HEAD ignores ranges.
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '100000'])
    expect(head.headers.has('content-range')).toBe(false)
    if (span) {
      expect(bytes).toEqual(BYTES.slice(span[0], span[1] + 1))
      expect(answer.headers.get('content-range')).toBe(`bytes ${span[0]}-${span[1]}/100000`)
    } else if (status === 416) expect(answer.headers.get('content-range')).toBe('bytes */100000')
    else expect(bytes.byteLength).toBe(100_000)
  })

  test('with a matching If-None-Match is 304, and with another If-Range the whole file', async () => {
    const etag = `"${file.sha256}"`
    const known = await own.download(file, { 'if-none-match': etag })
    expect([known.status, (await known.text()).length]).toEqual([304, 0])
    const same = await own.download(file, { range: 'bytes=5-', 'if-range': etag })
    const changed = await own.download(file, { range: 'bytes=5-', 'if-range': '"other"' })
    expect([same.status, changed.status]).toEqual([206, 200])
  })

  test('with HEAD returns the length without the bytes', async () => {
    const answer = await fetch(own.localUrl(file.downloadUrl ?? ''), { method: 'HEAD' })
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '100000'])
    expect(await answer.text()).toBe('')
  })

  test.each([
    ['another file', (url: URL) => Object.assign(url, { pathname: '/files/objects/upload_other' })],
    ['another name', (url: URL) => url.searchParams.set('name', 'invoice.exe')],
    ['another type', (url: URL) => url.searchParams.set('type', 'text/html')],
    ['a later expiry', (url: URL) => url.searchParams.set('expires', '99999999999')],
    ['an expiry in the past', (url: URL) => url.searchParams.set('expires', '1')],
    ['another signature', (url: URL) => url.searchParams.set('signature', 'A'.repeat(43))],
  ])('with %s is 403', async (_, change) => {
    const url = new URL(own.localUrl(file.downloadUrl ?? ''))
    change(url)
    expect((await fetch(url)).status).toBe(403)
  })

  test('a download URL accepts no PUT, and an upload URL no GET', async () => {
    const upload = await own.createUpload()
    const put = new URL(own.localUrl(upload.uploadUrl))
    expect((await fetch(put)).status).toBe(405)
    const get = new URL(own.localUrl(file.downloadUrl ?? ''))
    expect((await fetch(get, { method: 'PUT', body: 'x' })).status).toBe(405)
    const crossed = new URL(`/files/objects/${upload.id}?${put.searchParams}&name=a&type=b`, market.url)
    expect((await fetch(crossed)).status).toBe(403)
  })
})

describe('a public file', () => {
  test('has a permanent URL without a signature', async () => {
    expect(open.downloadUrl).toBe(`${market.config.PUBLIC_URL}/files/public/${open.id}`)
    expect(open.urlExpireTime).toBeUndefined()
    const answer = await own.download(open)
    expect([answer.status, await answer.text()]).toEqual([200, '<script>alert(1)</script>'])
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename=a.html')
  })

  test('that is private, unknown or removed is 404', async () => {
    const removed = await own.addFile(part, 'x', 'document', 'a', true)
    await own.changeFiles(part, { remove: [removed.id] })
    for (const id of [file.id, newId('file'), removed.id]) {
      expect((await fetch(`${market.url}/files/public/${id}`)).status).toBe(404)
    }
  })
})
