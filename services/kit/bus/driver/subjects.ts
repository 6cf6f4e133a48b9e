import { STREAM_FAMILIES, type StreamName } from '../../../../proto/events/envelope.ts'

/** A matcher for subjects as in NATS: `*` matches one word, a trailing `>` one or more. */
export function matcherOf(subjects: readonly string[]): (type: string) => boolean {
  const patterns = subjects.map((subject) => new RegExp(`^${subject.split('.').map(patternOfWord).join('\\.')}$`))
  return (type) => patterns.some((pattern) => pattern.test(type))
}

const patternOfWord = (word: string) => (word === '*' ? '[^.]+' : word === '>' ? '.+' : word)

const SUBJECT = /^[a-z]+(\.[A-Za-z0-9_-]+|\.\*)*(\.>)?$/

/** The first word of a subject, which names the owner of the events. */
export const familyOf = (subject: string) => subject.split('.', 1)[0] as string

/** Groups subjects by their stream. Throws for a subject that no stream carries. */
export function byStream(subjects: readonly string[]): Map<StreamName, string[]> {
  const streams = new Map<StreamName, string[]>()
  for (const subject of subjects) {
    const stream = streamOf(familyOf(subject))
    if (!stream || !SUBJECT.test(subject) || !subject.includes('.')) throw new Error(`no stream carries ${subject}`)
    streams.set(stream, [...(streams.get(stream) ?? []), subject])
  }
  return streams
}

const streamOf = (family: string) =>
  (Object.keys(STREAM_FAMILIES) as StreamName[]).find((stream) =>
    (STREAM_FAMILIES[stream] as readonly string[]).includes(family),
  )

/**
 * The narrowest single subject that covers all of these, or undefined for the whole stream. NATS before 2.10 allows one
 * filter for each consumer, and a single consumer keeps the order of events.
 */
export function commonFilter(subjects: readonly string[]): string | undefined {
  const [first, ...others] = [...new Set(subjects)].map((subject) => subject.split('.'))
  if (!first) return undefined
  if (others.length === 0) return first.join('.')
  const common: string[] = []
  // `>` matches at least one word, so the last word of the shortest subject is left to it.
  const longest = Math.min(first.length, ...others.map((words) => words.length)) - 1
  for (let i = 0; i < longest; i++) {
    const word = first[i] as string
    if (others.some((words) => words[i] !== word)) break
    common.push(word)
  }
  return common.length === 0 ? undefined : [...common, '>'].join('.')
}
