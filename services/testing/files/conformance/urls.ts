import { describe, expect, test } from 'bun:test'
import type { Upload } from '../../../../proto/http/sourcing/uploads.ts'
import { sendRaw } from '../../socket.ts'
import { storageOf } from '../storage-of.ts'
import type { ConformanceSetup } from './setup.ts'

const AN_HOUR_MS = 60 * 60 * 1000

/** Changes one character of the signature. */
function tampered(url: URL): void {
  for (const [name, value] of url.searchParams) {
    if (!/signature/i.test(name)) continue
    const last = value.endsWith('a') ? 'b' : 'a'
    url.searchParams.set(name, value.slice(0, -1) + last)
  }
}

export function describeUrls({ own, settings }: ConformanceSetup): void {
  const changed = async (change: (url: URL) => unknown): Promise<{ upload: Upload; answer: Response }> => {
    const upload = await own.createUpload()
    const url = new URL(own.localUrl(upload.uploadUrl))
    change(url)
    const answer = await fetch(url, { method: 'PUT', headers: upload.headers, body: 'forged' })
    return { upload, answer }
  }
  const isEmpty = async ({ id }: Upload) => (await storageOf(settings).find(id)) === undefined

  describe('an upload URL', () => {
    test('accepts one PUT; a second one is refused and changes nothing', async () => {
      const upload = await own.uploadBytes('first')
      const again = await own.putBytes(upload, 'second')
      expect(again.status).toBeWithin(400, 500)
      expect((await storageOf(settings).find(upload.id))?.sizeBytes).toBe(5)
    })

    test('accepts exactly one of concurrent PUTs', async () => {
      const upload = await own.createUpload()
      const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => own.putBytes(upload, 'x'.repeat(n + 1))))
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
      const size = answers.findIndex(({ ok }) => ok) + 1
      expect((await storageOf(settings).find(upload.id))?.sizeBytes).toBe(size)
    })

    test('is 403 with another signature, and refused without one', async () => {
      const forged = await changed(tampered)
      expect(forged.answer.status).toBe(403)
      expect(await isEmpty(forged.upload)).toBe(true)
      const bare = await changed((url) => {
        url.search = ''
      })
      expect(bare.answer.ok).toBe(false)
      expect(await isEmpty(bare.upload)).toBe(true)
    })

    test('is 403 with another key, and with a later expiry', async () => {
      const other = await changed((url) => {
        url.pathname = `${url.pathname.slice(0, -3)}ABC`
      })
      expect(other.answer.status).toBe(403)
      const longer = await changed((url) => {
        for (const name of ['expires', 'X-Amz-Expires']) {
          if (url.searchParams.has(name)) url.searchParams.set(name, String(Number(url.searchParams.get(name)) + 60))
        }
      })
      expect(longer.answer.status).toBe(403)
      expect(await isEmpty(longer.upload)).toBe(true)
    })

    test('is 403 after it has expired', async () => {
      const { id } = await own.createUpload()
      const anHourAgo = Date.now() - AN_HOUR_MS
      const expired = await storageOf(settings, () => anHourAgo).uploadUrl(id, new Date(anHourAgo + 60_000))
      const answer = await fetch(own.localUrl(expired.url), { method: 'PUT', headers: expired.headers, body: 'late' })
      expect(answer.status).toBe(403)
    })

    test('stores nothing of a body that ends early', async () => {
      const upload = await own.createUpload()
      const url = new URL(own.localUrl(upload.uploadUrl))
      const headers = Object.entries(upload.headers).map(([name, value]) => `${name}: ${value}\r\n`)
      const head = `PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: 100\r\n${headers.join('')}\r\n`
      await sendRaw(Number(url.port), `${head}only the half`, { closeAfterSending: true, deadlineMs: 500 })
      expect(await isEmpty(upload)).toBe(true)
      const { status } = await own.changeFiles(await own.createPart(), {
        add: [{ uploadId: upload.id, group: 'document' }],
      })
      expect(status).toBe(409)
    })
  })

  describe('a download URL', () => {
    const downloadUrl = async (expiresInMs: number, at = Date.now()) => {
      const { id } = await own.uploadBytes('the bytes')
      const download = { name: 'a "b".txt', contentType: 'model/stl', expiresAt: new Date(at + expiresInMs) }
      return new URL(own.localUrl(await storageOf(settings, () => at).downloadUrl(id, download)))
    }

    test('returns the bytes with the signed name and type', async () => {
      const answer = await fetch(await downloadUrl(60_000))
      expect([answer.status, await answer.text()]).toEqual([200, 'the bytes'])
      expect(answer.headers.get('content-type')).toBe('model/stl')
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="a \\"b\\".txt"')
    })

    test('is 403 with another signature or type, and after it has expired', async () => {
      const forged = await downloadUrl(60_000)
      tampered(forged)
      const renamed = await downloadUrl(60_000)
      for (const name of ['type', 'response-content-type']) {
        if (renamed.searchParams.has(name)) renamed.searchParams.set(name, 'text/html')
      }
      const expired = await downloadUrl(60_000, Date.now() - AN_HOUR_MS)
      const answers = await Promise.all([forged, renamed, expired].map((url) => fetch(url)))
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    })

    test('refuses a PUT', async () => {
      const answer = await fetch(await downloadUrl(60_000), { method: 'PUT', body: 'x' })
      expect([403, 405]).toContain(answer.status)
    })
  })
}
