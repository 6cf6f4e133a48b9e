import { verifyWebhook, WebhookVerificationError } from '../../../proto/clients/typescript/src/index.ts'
import { CommandError } from '../../toolchain/command-error.ts'

/** A delivery as it is shown. */
export interface Receipt {
  timestamp: number
  type: string
  id: string
  attempt: string
  /** `verified`, or why the signature is not valid. */
  verification: string
  /** Indented JSON, or the text as it came. */
  body: string
  /** The result of the delivery to another address. */
  forwarded?: string
}

interface Listener {
  port: number
  /** The secret of the endpoint. A delivery that comes before it is known waits. */
  secret: Promise<string>
  forwardTo: string | undefined
  report: (receipt: Receipt) => void
}

const FORWARD_TIMEOUT_MS = 10_000
const HEADERS = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'webhook-attempt'] as const

/**
 * A receiver on this machine. It answers 200, or what the address answers to which it forwards; 400 without a valid
 * signature.
 */
export function listenForWebhooks({ port, secret, forwardTo, report }: Listener): Bun.Server<undefined> {
  try {
    return Bun.serve({ hostname: '127.0.0.1', port, fetch: receive })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EADDRINUSE') throw error
    throw new CommandError(`The port ${port} is in use: choose another with --port, or 0 for a free one.`)
  }

  async function receive(request: Request): Promise<Response> {
    if (request.method !== 'POST')
      return new Response('Send a POST request.', { status: 405, headers: { allow: 'POST' } })
    const body = await request.text()
    const headers = Object.fromEntries(HEADERS.map((name) => [name, request.headers.get(name) ?? '']))
    const problem = problemOf(await secret, body, headers)
    const receipt = { ...contentOf(body), timestamp: Date.now(), attempt: headers['webhook-attempt'] ?? '' }
    if (problem !== undefined) {
      report({ ...receipt, verification: `NOT VERIFIED: ${problem}` })
      return new Response(problem, { status: 400 })
    }
    if (forwardTo === undefined) {
      report({ ...receipt, verification: 'verified' })
      return new Response('ok')
    }
    const { status, text } = await forward(forwardTo, headers, body)
    report({ ...receipt, verification: 'verified', forwarded: `forwarded: ${status} ${text.slice(0, 200)}`.trimEnd() })
    return new Response(text, { status })
  }
}

function problemOf(secret: string, body: string, headers: Record<string, string>): string | undefined {
  try {
    verifyWebhook(secret, headers, body)
    return undefined
  } catch (error) {
    if (error instanceof WebhookVerificationError || error instanceof SyntaxError) return error.message
    throw error
  }
}

async function forward(url: string, headers: Record<string, string>, body: string) {
  const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS)
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    return { status: 502, text: `${url} cannot be reached: ${(error as Error).message}` }
  }
}

function contentOf(body: string): { id: string; type: string; body: string } {
  try {
    const event: { id?: unknown; type?: unknown } = JSON.parse(body)
    return { id: String(event.id), type: String(event.type), body: JSON.stringify(event, null, 2) }
  } catch {
    return { id: 'unknown id', type: 'unknown type', body }
  }
}
