import { STREAM_FAMILIES, type StreamName } from '../../../proto/events/envelope.ts'

/** Whether a type is meant by one of the subjects: `*` is exactly one word, a `>` at the end one or more, as in NATS. */
export function matcherOf(subjects: readonly string[]): (type: string) => boolean {
  const patterns = subjects.map((subject) => new RegExp(`^${subject.split('.').map(patternOfWord).join('\\.')}$`))
  return (type) => patterns.some((pattern) => pattern.test(type))
}

const patternOfWord = (word: string) => (word === '*' ? '[^.]+' : word === '>' ? '.+' : word)

const SUBJECT = /^[a-z]+(\.[A-Za-z0-9_-]+|\.\*)*(\.>)?$/

/** The first word of a subject, which says whose events they are. */
export const familyOf = (subject: string) => subject.split('.', 1)[0] as string

/** The subjects by the stream that carries them. A subject that no stream carries would be waited for in vain. */
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
 * The narrowest single subject that covers all of these, or none where only the whole stream does: servers before
 * 2.10 know one filter for each consumer, and one consumer keeps the order of what it reads.
 */
export function commonFilter(subjects: readonly string[]): string | undefined {
  const [first, ...others] = [...new Set(subjects)].map((subject) => subject.split('.'))
  if (!first) return undefined
  if (others.length === 0) return first.join('.')
  const common: string[] = []
  // The last word of the shortest is left to the `>`, which needs something to stand for.
  const longest = Math.min(first.length, ...others.map((words) => words.length)) - 1
  for (let i = 0; i < longest; i++) {
    const word = first[i] as string
    if (others.some((words) => words[i] !== word)) break
    common.push(word)
  }
  return common.length === 0 ? undefined : [...common, '>'].join('.')
}
