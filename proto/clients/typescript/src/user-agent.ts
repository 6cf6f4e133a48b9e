export const VERSION = '0.1.0'

/** The header with this client and its runtime. Browsers send their own. */
export function userAgent(program: string | undefined): Record<string, string> {
  if ('document' in globalThis) return {}
  const { navigator, process } = globalThis as {
    navigator?: { userAgent?: string }
    process?: { versions?: { node?: string } }
  }
  const runtime = navigator?.userAgent ?? `Node.js/${process?.versions?.node}`
  return { 'user-agent': [program, `marketplace-client/${VERSION}`, runtime].filter(Boolean).join(' ') }
}
