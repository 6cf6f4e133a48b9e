import { isSpanContextValid, trace } from '@opentelemetry/api'
import { EVENT_DATA_MAX_BYTES, EVENT_TYPE } from '../../../../proto/events/envelope.ts'
import type { Tx } from '../../db/client.ts'
import { newId } from '../../db/ids.ts'
import { type NewRow, storeEvents } from './queries.ts'

export interface NewEvent {
  /** `sourcing.part.created`, in a family that a stream carries. */
  type: string
  /** Organization it concerns; none where it concerns everybody. */
  tenantId?: string
  /** Id of what it happened to. Events of one subject keep their order, so emit after the row is locked or changed. */
  subject: string
  data: unknown
  /** When it happened; now, unless the transaction knows better. */
  time?: string
}

const TYPE = new RegExp(EVENT_TYPE)
const MAX_TYPE_CHARACTERS = 128
const MAX_SUBJECT_CHARACTERS = 256

/**
 * Announces a change in the transaction that makes it: both are kept or neither is.
 * Takes a transaction and nothing else, so that an event outside of one does not compile. Answers the event's id.
 */
export async function emit(tx: Tx, event: NewEvent): Promise<string> {
  const [id] = await emitAll(tx, [event])
  return id as string
}

/** Announces several changes with one statement, in this order. */
export async function emitAll(tx: Tx, events: readonly NewEvent[]): Promise<string[]> {
  const traceparent = activeTraceparent()
  const rows = events.map((event) => rowOf(event, traceparent))
  if (rows.length > 0) await storeEvents(tx, rows)
  return rows.map(({ id }) => id)
}

/** A wrong event is our own mistake: it fails the command at once instead of stopping the relay later. */
function rowOf({ type, tenantId, subject, data, time }: NewEvent, traceparent: string | null): NewRow {
  if (!TYPE.test(type) || type.length > MAX_TYPE_CHARACTERS) throw new Error(`event type not carried: ${type}`)
  if (subject === '' || subject.length > MAX_SUBJECT_CHARACTERS) throw new Error(`event subject not usable: ${type}`)
  const text = JSON.stringify(data)
  if (text === undefined) throw new Error(`event without data: ${type}`)
  if (Buffer.byteLength(text) > EVENT_DATA_MAX_BYTES) throw new Error(`event data too large: ${type}`)
  return {
    id: newId('evt'),
    type,
    subject,
    tenant_id: tenantId ?? null,
    time: time ?? new Date().toISOString(),
    traceparent,
    data: text,
  }
}

function activeTraceparent(): string | null {
  const span = trace.getActiveSpan()?.spanContext()
  if (!span || !isSpanContextValid(span)) return null
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`
}
