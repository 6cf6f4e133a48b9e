import { openSync, writeSync } from 'node:fs'
import { lineOf } from './receipts.ts'

/**
 * A receiver of webhooks that records each request before it answers. The system keeps a written line, so a SIGKILL of
 * this process loses none.
 */
const { PORT = '', RECEIPTS = '' } = process.env
const file = openSync(RECEIPTS, 'a')

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(PORT),
  idleTimeout: 0,
  async fetch(request) {
    const id = request.headers.get('webhook-id')
    if (id === null) return new Response('ready')
    await request.arrayBuffer()
    writeSync(file, lineOf({ endpoint: Number(new URL(request.url).pathname.slice(1)), id, atMs: Date.now() }))
    return new Response(null, { status: 204 })
  },
})
