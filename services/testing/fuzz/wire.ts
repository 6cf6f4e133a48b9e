import { sendRaw } from '../socket.ts'
import type { Answer } from './harness.ts'

/** Sends a request byte for byte, which `fetch` would put right first; status 0 for a connection closed in silence. */
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

export interface Lines {
  method: string
  target: string
  version?: string
  /** Whole header lines: repeated, misspelled, or with bytes that no library would write. */
  headers: readonly string[]
  body?: string
}

/** A request as it goes over the wire; every character of it is one byte. */
export const requestBytes = ({ method, target, version = 'HTTP/1.1', headers, body = '' }: Lines): Uint8Array =>
  Buffer.from([`${method} ${target} ${version}`, ...headers, '', body].join('\r\n'), 'latin1')
