interface ByteRange {
  /** First byte. */
  start: number
  /** Last byte, included. */
  end: number
}

/** Accepts every spelling that Bun accepts, because Bun itself answers a range that is left unhandled. */
const RANGE = /^\s*bytes\s*=\s*((?:0*\d{1,15})?)\s*-\s*((?:0*\d{1,15})?)\s*$/i

/**
 * The single range that a `Range` field requests. Undefined means the whole content: no range, several ranges, or
 * another unit. `unsatisfiable` means that it begins after the end.
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
