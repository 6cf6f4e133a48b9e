import { isSpanContextValid, type Span, trace } from '@opentelemetry/api'
import { EMITTED_BY, EVENT_DATA_MAX_BYTES, EVENT_TYPE } from '../../../../proto/events/envelope.ts'
import { type EventData, type EventType, SUBSCRIBED_EVENTS } from '../../../../proto/events/events.ts'
import { announce } from '../../db/announcements.ts'
import type { Tx } from '../../db/client.ts'
import { newId } from '../../db/ids.ts'
import { producerSpan } from '../../traces/traces.ts'
import { familyOf } from '../driver/subjects.ts'
import { commitsOf, type NewRow, notifyOf, storeEvents } from './queries.ts'

interface AnyEvent {
  /** `sourcing.part.created`, in a family that a stream carries. */
  type: string
  /** Organization that the event concerns. Undefined: all organizations. */
  tenantId?: string | undefined
  /** Id of the changed record. Its row must be locked before, so that events of one subject keep their order. */
  subject: string
  data: unknown
  /** Time of the event. Default: now. */
  time?: string
  /** Whether subscribers receive it. Default: as the contract says. */
  isSubscribed?: boolean
}

/** An event of the contract. */
interface NewEvent<Type extends EventType> extends AnyEvent {
  type: Type
  tenantId: string | undefined
  data: EventData<Type>
}

const TYPE = new RegExp(EVENT_TYPE)
const SUBSCRIBED: ReadonlySet<string> = new Set(SUBSCRIBED_EVENTS)
const MAX_TYPE_CHARACTERS = 128
const MAX_SUBJECT_CHARACTERS = 256

/**
 * Emits an event in the transaction of its state change. It accepts only a transaction, so that an event outside of one
 * does not compile. Returns the id of the event.
 */
export const emit = <Type extends EventType>(tx: Tx, event: NewEvent<Type>): Promise<string> => emitAny(tx, event)

/** Emits several events in one statement, in this order. */
export const emitAll = <Type extends EventType>(tx: Tx, events: readonly NewEvent<Type>[]): Promise<string[]> =>
  emitAllAny(tx, events)

/** Emits an event whose type and data the contract need not have. Only tests and benches do. */
export async function emitAny(tx: Tx, event: AnyEvent): Promise<string> {
  const [id] = await emitAllAny(tx, [event])
  return id as string
}

export async function emitAllAny(tx: Tx, events: readonly AnyEvent[]): Promise<string[]> {
  const rows = events.map((event) => {
    const span = producerSpan(event.type)
    const row = rowOf(event, traceparentOf(span ?? trace.getActiveSpan()))
    span?.end()
    return row
  })
  if (rows.length === 0) return []
  const subscribed = rows.filter(({ type }, index) => events[index]?.isSubscribed ?? SUBSCRIBED.has(type))
  await Promise.all([storeEvents(tx, rows), subscribed.length > 0 && notifyOf(tx, subscribed)])
  for (const [service, emitted] of Map.groupBy(rows, ({ type }) => EMITTED_BY[familyOf(type)])) {
    const types = emitted.map(({ type }) => type)
    if (service) announce(tx, commitsOf(service), types)
  }
  return rows.map(({ id }) => id)
}

/** An invalid event is a bug. It fails the command here instead of blocking the relay later. */
function rowOf({ type, tenantId, subject, data, time }: AnyEvent, traceparent: string | null): NewRow {
  if (!TYPE.test(type) || type.length > MAX_TYPE_CHARACTERS)
    throw new Error(`event of a type that no stream carries: ${type}`)
  if (subject === '' || subject.length > MAX_SUBJECT_CHARACTERS)
    throw new Error(`event with an invalid subject: ${type}`)
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

function traceparentOf(active: Span | undefined): string | null {
  const span = active?.spanContext()
  if (!span || !isSpanContextValid(span)) return null
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`
}
