import { describe, expect, test } from 'bun:test'
import type { File } from '../../../../proto/http/sourcing/files.ts'
import { until } from '../../until.ts'
import type { Bytes } from '../file-client.ts'
import type { ConformanceSetup } from './setup.ts'

const BYTES = Uint8Array.from({ length: 300_000 }, (_, n) => (n * 7) % 253)
const sha256 = (bytes: Uint8Array | string) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

export function describeFiles({ own }: ConformanceSetup): void {
  const ready = async (bytes: Bytes, name?: string, isPublic?: boolean): Promise<File> => {
    const part = await own.createPart()
    await own.addFile(part, bytes, 'document', name, isPublic)
    return until(async () => (await own.listFiles(part)).find(({ state }) => state === 'READY'), {
      what: 'a ready file',
    })
  }

  describe('a file', () => {
    test('becomes READY with the type of its bytes, not of its name', async () => {
      const file = await ready('%PDF-1.7 drawing', 'drawing.exe')
      expect(file).toMatchObject({ size: 16, contentType: 'application/pdf', sha256: sha256('%PDF-1.7 drawing') })
    })

    test('without bytes becomes READY', async () => {
      expect(await ready('')).toMatchObject({ size: 0, sha256: sha256('') })
    })

    test('is downloaded unchanged, as an attachment with its name', async () => {
      const file = await ready(BYTES, 'Größe 図面 "x".bin')
      const answer = await own.download(file)
      expect(answer.status).toBe(200)
      expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256(BYTES))
      const disposition = answer.headers.get('content-disposition')
      expect(disposition).toContain("filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E5%9B%B3%E9%9D%A2%20%22x%22.bin")
      expect(disposition).toStartWith('attachment')
    })

    test.each([
      '<!doctype html><script>alert(1)</script>',
      '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
    ])('that a browser would display as a page is downloaded as octet-stream: %s', async (page) => {
      const { headers } = await own.download(await ready(page, 'page.html'))
      expect(headers.get('content-type')).toBe('application/octet-stream')
      expect(headers.get('content-disposition')).toStartWith('attachment')
    })

    test('with a long name in any language has a working download URL', async () => {
      for (const name of [
        `${'図'.repeat(250)}.stl`,
        `${'\u{1f6a2}'.repeat(251)}.stl`,
        `${'%"\u{27}'.repeat(80)}.stl`,
      ]) {
        const answer = await own.download(await ready('x', name))
        expect([answer.status, await answer.text()]).toEqual([200, 'x'])
        expect(answer.headers.get('content-disposition')).toContain('.stl')
      }
    })

    test('is downloaded in ranges', async () => {
      const file = await ready(BYTES)
      const middle = await own.download(file, { range: 'bytes=100-199' })
      expect([middle.status, middle.headers.get('content-range')]).toEqual([206, 'bytes 100-199/300000'])
      expect(new Uint8Array(await middle.arrayBuffer())).toEqual(BYTES.slice(100, 200))
      const end = await own.download(file, { range: 'bytes=-10' })
      expect(new Uint8Array(await end.arrayBuffer())).toEqual(BYTES.slice(-10))
      expect((await own.download(file, { range: 'bytes=300000-' })).status).toBe(416)
    })

    test('that is public has a permanent URL', async () => {
      const file = await ready(BYTES, 'public.bin', true)
      expect(file.downloadUrl).toEndWith(`/files/public/${file.id}`)
      const answer = await fetch(own.localUrl(file.downloadUrl ?? ''))
      expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256(BYTES))
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename=public.bin')
    })

    test('that was removed is 404', async () => {
      const file = await ready(BYTES, 'public.bin', true)
      const [{ part_id }] = (await own.rows`select part_id from sourcing.files where id = ${file.id}`) as [
        { part_id: string },
      ]
      expect((await own.changeFiles(part_id, { remove: [file.id] })).status).toBe(204)
      expect((await own.download(file)).status).toBe(404)
    })
  })
}
