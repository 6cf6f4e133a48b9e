interface LogLine {
  level: string
  [field: string]: unknown
}

export interface CapturedLog {
  destination: { write(line: string): void }
  /** The written lines, as JSON texts. */
  texts: string[]
  /** Lines of the levels error and fatal. */
  errors(): LogLine[]
}

/** A log destination for tests in place of standard output. */
export function captureLog(): CapturedLog {
  const texts: string[] = []
  const errors: LogLine[] = []
  const write = (line: string) => {
    texts.push(line)
    // Most lines are those of requests, and there are tens of thousands of them.
    if (!/"level":"(error|fatal)"/.test(line)) return
    const parsed: LogLine = JSON.parse(line)
    if (parsed.level === 'error' || parsed.level === 'fatal') errors.push(parsed)
  }
  return { texts, destination: { write }, errors: () => errors }
}
