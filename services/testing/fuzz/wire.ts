import { sendRaw } from '../socket.ts'
import type { Answer } from './harness.ts'

/** Sends a request unchanged, which `fetch` would normalize. Status 0: the connection was closed without a response. */
export async function sendBytes(
  port: number,
  request: string | Uint8Array,
  options: { deadlineMs?: number } = {},
): Promise<Answer> {
  const answer = await sendRaw(port, request, options)
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) if (name !== '') headers.set(name, value)
  return { status: answer.status, headers, text: Buffer.from(answer.body, 'latin1').toString('utf8') }
}

interface RequestLines {
  method: string
  target: string
  version?: string
  /** Complete header lines, which may be repeated, malformed, or contain any bytes. */
  headers: readonly string[]
  body?: string
}

/** The bytes of a request, one for each character. */
export const requestBytes = ({ method, target, version = 'HTTP/1.1', headers, body = '' }: RequestLines): Uint8Array =>
  Buffer.from([`${method} ${target} ${version}`, ...headers, '', body].join('\r\n'), 'latin1')
