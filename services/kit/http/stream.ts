/** The chunks of a streamed body. `return` is called when the client stops reading. */
interface Chunks {
  next(): Promise<IteratorResult<string, unknown>>
  return(): Promise<unknown>
}

/** A response that is produced while it is sent, with at most one chunk in memory. */
export class Streamed {
  readonly chunks: Chunks
  readonly mediaType: string
  readonly headers: Record<string, string>

  constructor(chunks: Chunks, mediaType: string, headers: Record<string, string> = {}) {
    this.chunks = chunks
    this.mediaType = mediaType
    this.headers = headers
  }
}

/** The response of a streamed answer. An error aborts the connection, so that the client sees an incomplete body. */
export function streamedResponse(
  { chunks }: Streamed,
  init: { status: number; headers: Headers },
  { gzip, onFailure }: { gzip: boolean; onFailure(error: unknown): void },
): Response {
  const encoder = new TextEncoder()
  let isCancelled = false
  const plain = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next()
          if (isCancelled) return
          if (done) controller.close()
          else controller.enqueue(encoder.encode(value))
        } catch (error) {
          if (isCancelled) return
          onFailure(error)
          // The error is not passed on, because Bun would print it with the parameters of its statement.
          controller.error()
        }
      },
      async cancel() {
        isCancelled = true
        await chunks.return()
      },
    },
    { highWaterMark: 0 },
  )
  init.headers.append('vary', 'Accept-Encoding')
  if (gzip) init.headers.set('content-encoding', 'gzip')
  return new Response(gzip ? plain.pipeThrough(new CompressionStream('gzip')) : plain, init)
}

const CODING = /^\s*([\w-]+|\*)\s*(?:;\s*q=([\d.]+)\s*)?$/

/** Whether `Accept-Encoding` allows a coding. A named one has precedence over `*`, and a quality of 0 refuses it. */
export function acceptsCoding(accepted: string | null, coding: 'br' | 'gzip'): boolean {
  const names = coding === 'gzip' ? ['gzip', 'x-gzip'] : [coding]
  const codings = (accepted ?? '').split(',').flatMap((part) => {
    const [, name = '', quality = '1'] = CODING.exec(part.toLowerCase()) ?? []
    return name === '*' || names.includes(name) ? [{ any: name === '*', wanted: Number(quality) > 0 }] : []
  })
  return (codings.find(({ any }) => !any) ?? codings[0])?.wanted ?? false
}
