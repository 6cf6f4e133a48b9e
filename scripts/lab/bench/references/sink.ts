import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'

/** A bare server that hashes a body and writes it to the disk. */
const { PORT = '', FOLDER = '' } = process.env
await mkdir(FOLDER, { recursive: true })
let count = 0

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(PORT),
  maxRequestBodySize: 520 * 1024 * 1024,
  async fetch(request) {
    if (!request.body) return new Response('ready')
    const hash = new Bun.CryptoHasher('sha256')
    const path = join(FOLDER, String(count++))
    const writer = Bun.file(path).writer({ highWaterMark: 1024 * 1024 })
    for await (const chunk of request.body) {
      hash.update(chunk)
      await writer.write(chunk)
    }
    await writer.end()
    const file = await open(path, 'r+')
    await file.datasync()
    await file.close()
    return new Response(hash.digest('hex'))
  },
})
