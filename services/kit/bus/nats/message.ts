import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Envelope } from '../../../../proto/events/envelope.ts'
import type { Received } from '../driver/driver.ts'

const envelope = TypeCompiler.Compile(Envelope)
const utf8 = new TextDecoder()

/**
 * Validates a message, because other systems also publish. It must be an envelope of the type that its subject names,
 * since the permissions of publishers apply to subjects.
 */
export function readMessage(stream: string, seq: number, type: string, data: Uint8Array): Received {
  const text = utf8.decode(data)
  const malformed = (reason: string) => ({ malformed: { id: `${stream}:${seq}`, text, reason } })
  let event: unknown
  try {
    event = JSON.parse(text)
  } catch {
    return malformed('not JSON')
  }
  if (!envelope.Check(event)) return malformed(`not an envelope: ${envelope.Errors(event).First()?.path ?? ''}`)
  return event.type === type ? { event } : malformed('type differs from the subject')
}
