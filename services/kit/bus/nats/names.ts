import type { StreamName } from '../../../../proto/events/envelope.ts'

/** The names of streams and subjects of one installation. Several on one account of NATS have a prefix each. */
export interface Names {
  stream(name: StreamName): string
  /** A type of events, or a filter of types. */
  subject(type: string): string
  /** The type of the events of a subject. */
  typeOf(subject: string): string
  /** Core NATS subject of the heartbeats of a service, outside of every stream so that they are not stored. */
  heartbeat(service: string): string
}

export function namesWith(prefix: string): Names {
  const before = prefix === '' ? '' : `${prefix}.`
  const subject = (type: string) => `${before}${type}`
  return {
    stream: (name) => (prefix === '' ? name : `${prefix}_${name}`),
    subject,
    typeOf: (text) => text.slice(before.length),
    heartbeat: (service) => subject(`heartbeat.${service}`),
  }
}
