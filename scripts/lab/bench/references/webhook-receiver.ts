/** A receiver of webhooks. It keeps the time at which each event arrived first, and never answers on `/hangs`. */
const { PORT = '' } = process.env
let arrivals: Record<string, number> = {}

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(PORT),
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/arrivals') {
      const answer = Response.json(arrivals)
      arrivals = {}
      return answer
    }
    if (pathname === '/hangs') return new Promise<Response>(() => {})
    const id = request.headers.get('webhook-id')
    await request.arrayBuffer()
    if (id !== null && pathname === '/timed') arrivals[id] ??= performance.timeOrigin + performance.now()
    return new Response('ok')
  },
})
