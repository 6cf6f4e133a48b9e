const POLL_MS = 250

/**
 * Lines that `dev` prints: errors of the services, output that is no log line, reloads, and with `--verbose` requests.
 */
export class ServiceLogReader {
  readonly #isVerbose: boolean
  #startsSeen = 0
  #rest = ''

  constructor({ verbose }: { verbose: boolean }) {
    this.#isVerbose = verbose
  }

  /** The text for the terminal for newly written text of the log. */
  read(text: string): string[] {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#shown(line))
  }

  #shown(line: string): string[] {
    const entry = entryOf(line)
    // The output of Bun itself, such as the reason of a failed reload.
    if (!entry) return line.trim() === '' ? [] : [line]
    if (entry.msg === 'serving') {
      this.#startsSeen++
      return this.#startsSeen > 1 ? ['The services were reloaded.'] : []
    }
    if (entry.operation !== undefined) return this.#isVerbose ? [describeRequest(entry)] : []
    return entry.level === 'error' || entry.level === 'fatal' ? [describeError(entry)] : []
  }
}

interface Entry {
  level: string
  time: string
  service: string
  /** Of a request, as the next five. */
  operation?: string
  method?: string
  status?: number
  code?: string
  ms?: number
  msg?: string
  requestId?: string
  err?: { message?: string; stack?: string }
}

function entryOf(line: string): Entry | undefined {
  try {
    const entry: Entry = JSON.parse(line)
    return typeof entry?.level === 'string' ? entry : undefined
  } catch {
    return undefined
  }
}

function describeRequest({ time, service, operation, method, status, code, ms, requestId }: Entry): string {
  const result = [status, code].filter((part) => part !== undefined).join(' ')
  return `${time.slice(11, 19)}  ${method} ${operation} (${service}): ${result}, ${ms} ms, request ${requestId}`
}

function describeError({ service, msg = '', requestId, err }: Entry): string {
  const request = requestId ? ` (request ${requestId})` : ''
  const stack = (err?.stack ?? err?.message ?? '').split('\n').map((line) => `  ${line}`)
  return [`Error in ${service}: ${msg}${request}`, ...(err ? stack : [])].join('\n')
}

/** Prints what is written to the log until the signal, starting at the end of its current text. */
export async function followLog(
  path: string,
  signal: AbortSignal,
  options: { verbose: boolean; print: (text: string) => void },
): Promise<void> {
  const reader = new ServiceLogReader(options)
  const decoder = new TextDecoder()
  let offset = 0
  let isPast = true
  while (!signal.aborted) {
    const file = Bun.file(path)
    if (file.size > offset) {
      const bytes = await file.slice(offset).bytes()
      offset += bytes.length
      const shown = reader.read(decoder.decode(bytes, { stream: true }))
      if (!isPast) for (const text of shown) options.print(text)
    }
    isPast = false
    await Bun.sleep(POLL_MS)
  }
}
