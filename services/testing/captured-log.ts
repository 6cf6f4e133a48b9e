export interface LogLine {
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
  const lines = () => texts.map((text): LogLine => JSON.parse(text))
  return {
    texts,
    destination: { write: (line) => void texts.push(line) },
    errors: () => lines().filter(({ level }) => level === 'error' || level === 'fatal'),
  }
}
