import { distance } from 'fastest-levenshtein'

/** Names that other APIs use for these parameters. */
const USUAL_NAMES: Readonly<Record<string, readonly string[]>> = {
  pageSize: ['limit', 'size', 'perpage', 'count', 'take'],
  q: ['search', 'query', 'text', 'term'],
  search: ['q', 'query', 'text', 'term'],
  from: ['since', 'after', 'start'],
  to: ['until', 'before', 'end'],
}

/** At least half of the letters must agree. */
const MIN_SIMILARITY = 0.5
const MAX_COMPARED_CHARACTERS = 40

/** The declared parameter that an unknown one was probably meant to be; undefined when none resembles it. */
export function meantParameter(unknown: string, declared: readonly string[]): string | undefined {
  if (unknown.length > MAX_COMPARED_CHARACTERS) return undefined
  const sent = plain(unknown)
  const named = declared.find((name) => plain(name) === sent || USUAL_NAMES[name]?.includes(sent))
  if (named !== undefined) return named
  const similarity = (name: string) => 1 - distance(plain(name), sent) / Math.max(name.length, sent.length)
  const [closest] = declared.toSorted((one, other) => similarity(other) - similarity(one))
  return closest !== undefined && similarity(closest) >= MIN_SIMILARITY ? closest : undefined
}

/** `page_size` and `PageSize` are spellings of `pageSize`. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '')
