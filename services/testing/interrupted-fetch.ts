/** What happens to one request: it is sent, is lost on the way, is answered by a proxy, or loses its answer. */
export type Fate = 'send' | 'lose request' | 'lose answer' | { status: number; retryAfter?: string }

interface SentRequest {
  method: string
  path: string
  headers: Headers
}

/** A `fetch` whose first requests to a path meet these fates; it keeps what was sent. */
export function interruptedFetch(path: string, fates: readonly Fate[] = []) {
  const sent: SentRequest[] = []
  const waiting = [...fates]
  const fetched = async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname } = new URL(url)
    sent.push({ method: init.method ?? 'GET', path: pathname, headers: new Headers(init.headers) })
    const fate = pathname === path ? (waiting.shift() ?? 'send') : 'send'
    if (fate === 'lose request') throw new TypeError('fetch failed')
    if (typeof fate === 'object') {
      const headers = fate.retryAfter === undefined ? {} : { 'retry-after': fate.retryAfter }
      return new Response('busy', { status: fate.status, headers })
    }
    const response = await fetch(url, init)
    if (fate === 'lose answer') throw new TypeError('fetch failed')
    return response
  }
  const to = (wanted: string) => sent.filter((request) => request.path === wanted)
  return { fetch: fetched, sent, to }
}
