import type { Received } from '../event-processor.ts'
import { type NatsSession, REQUEST_TIMEOUT_MS } from './connection.ts'
import { readMessage } from './message.ts'

interface Answer {
  message?: { subject: string; seq: number; data?: string }
  error?: { code: number; description: string }
}

/** The first message of a stream after a sequence. The driver lacks this request of the JetStream API. */
export async function nextStored(
  { nc }: NatsSession,
  stream: string,
  after: number,
  filter: string | undefined,
): Promise<{ seq: number; received: Received } | undefined> {
  const question = JSON.stringify({ seq: after + 1, next_by_subj: filter ?? '>' })
  const reply = await nc.request(`$JS.API.STREAM.MSG.GET.${stream}`, question, { timeout: REQUEST_TIMEOUT_MS })
  const { message, error } = reply.json<Answer>()
  if (error?.code === 404) return undefined
  if (!message) throw new Error(`stream ${stream} cannot be read: ${error?.description ?? 'no message'}`)
  const data = Buffer.from(message.data ?? '', 'base64')
  return { seq: message.seq, received: readMessage(stream, message.seq, message.subject, data) }
}
