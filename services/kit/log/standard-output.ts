/** A log line: text, or an object that is formatted when the line is flushed. */
type Line = string | { toString(): string }

/** A sink for lines, each with its line break. */
export interface LineWriter {
  write(line: Line): void
}

const MAX_WAITING_LINES = 256
const MAX_WAITING_CHARACTERS = 64 * 1024
const FLUSH_EVERY_MS = 100

/**
 * One buffer for the whole process, so that lines never interleave. Lines are flushed together through Bun's writer,
 * which loses no line when the pipe is slow. Writing each line alone takes a third of the time of a request.
 */
export const standardOutput = {
  sink: undefined as Bun.FileSink | undefined,
  timer: undefined as Timer | undefined,
  waiting: [] as Line[],
  /** Characters of the buffered lines that are text already. */
  waitingCharacters: 0,
  write(line: Line) {
    const lines = this.waiting.push(line)
    if (typeof line === 'string') this.waitingCharacters += line.length
    if (lines >= MAX_WAITING_LINES || this.waitingCharacters > MAX_WAITING_CHARACTERS) void this.flush()
    else this.timer ??= setTimeout(() => this.flush(), FLUSH_EVERY_MS)
  },
  async flush() {
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.waiting.length > 0) {
      this.sink ??= Bun.stdout.writer({ highWaterMark: MAX_WAITING_CHARACTERS })
      this.sink.write(this.waiting.join(''))
      this.waiting = []
      this.waitingCharacters = 0
    }
    await this.sink?.flush()
  },
}

/** Flushes the buffer before the process ends. */
export const flushLogs = (): Promise<void> => standardOutput.flush()
