/** What one line is made of: text, or something that becomes text when the line leaves. */
export type Line = string | { toString(): string }

/** Where lines go, each with its line break. */
export interface Lines {
  write(line: Line): void
}

const MAX_WAITING_LINES = 256
const MAX_WAITING_CHARACTERS = 64 * 1024
const FLUSH_EVERY_MS = 100

/**
 * One buffer for the whole process, so that lines never interleave. They wait for each other and leave together, through
 * Bun's own writer, which never loses one to a slow pipe. Handed over one by one they cost a third of a request: the
 * writer flushes in each turn of the event loop.
 */
export const standardOutput = {
  sink: undefined as Bun.FileSink | undefined,
  timer: undefined as Timer | undefined,
  waiting: [] as Line[],
  /** Of the lines that are text already; the others are short. */
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

/** Writes out what still waits: the last thing before the process ends. */
export const flushLogs = (): Promise<void> => standardOutput.flush()
