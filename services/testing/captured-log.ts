export interface LogLine {
  level: string
  [field: string]: unknown
}

export interface CapturedLog {
  destination: { write(line: string): void }
  /** What was written, line by line, as it was written. */
  texts: string[]
  /** Lines of a level that somebody is woken for. */
  alarms(): LogLine[]
}

/** Where a marketplace under test can log to instead of standard output. */
export function captureLog(): CapturedLog {
  const texts: string[] = []
  const lines = () => texts.map((text): LogLine => JSON.parse(text))
  return {
    texts,
    destination: { write: (line) => void texts.push(line) },
    alarms: () => lines().filter(({ level }) => level === 'error' || level === 'fatal'),
  }
}
