export interface ByteRange {
  /** First byte. */
  start: number
  /** Last byte, included. */
  end: number
}

/** In every spelling that Bun takes, which answers by itself to what we leave alone: units are read without case. */
const RANGE = /^\s*bytes\s*=\s*((?:0*\d{1,15})?)\s*-\s*((?:0*\d{1,15})?)\s*$/i

/**
 * What a `Range` asks for of so many bytes: undefined for all of them (none is asked for, or several, or in another unit,
 * which a server may answer whole), `unsatisfiable` for what begins behind the end.
 */
export function rangeOf(header: string | null, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = RANGE.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes)
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 }
  }
  const start = Number(from)
  if (to !== '' && Number(to) < start) return undefined
  if (start >= sizeBytes) return 'unsatisfiable'
  return { start, end: to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1) }
}
