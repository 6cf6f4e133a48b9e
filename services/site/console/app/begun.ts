/** Reads that the first script has begun, by their address. */
export type Begun = Map<string, { authorization: string; response: Promise<Response> }>

declare global {
  interface Window {
    begun?: Begun
  }
}

/** The response of a read that was begun with the same token; each is used once. */
export function takeBegun(url: string, { method, headers }: RequestInit): Promise<Response> | undefined {
  const found = window.begun?.get(url)
  if (!found || method !== 'GET') return undefined
  window.begun?.delete(url)
  const sent = new Headers(headers)
  return sent.get('authorization') === found.authorization && !sent.has('if-none-match') ? found.response : undefined
}
