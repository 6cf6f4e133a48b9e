import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Envelope } from '../../../../proto/events/envelope.ts'
import type { Incoming } from '../inbox.ts'

const envelope = TypeCompiler.Compile(Envelope)
const utf8 = new TextDecoder()

/**
 * Reads a message. Others publish too, so nothing is believed: it must be an envelope, and its type the subject it was
 * published to, which is what a publisher's permissions are about.
 */
export function readMessage(stream: string, seq: number, subject: string, data: Uint8Array): Incoming {
  const text = utf8.decode(data)
  const malformed = (reason: string) => ({ malformed: { id: `${stream}:${seq}`, text, reason } })
  let event: unknown
  try {
    event = JSON.parse(text)
  } catch {
    return malformed('not JSON')
  }
  if (!envelope.Check(event)) return malformed(`not an envelope: ${envelope.Errors(event).First()?.path ?? ''}`)
  return event.type === subject ? { event } : malformed('type is not the subject it came under')
}
