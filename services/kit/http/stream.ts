/** What is sent, piece by piece; `return` is called when nobody takes any more. */
export interface Pieces {
  next(): Promise<IteratorResult<string, unknown>>
  return(): Promise<unknown>
}

/**
 * An answer that is made while it is sent: never more than a piece of it is in memory, the next one is asked for when the
 * client has taken the last, and none when the client has left.
 */
export class Streamed {
  readonly pieces: Pieces
  readonly mediaType: string
  readonly headers: Record<string, string>

  constructor(pieces: Pieces, mediaType: string, headers: Record<string, string> = {}) {
    this.pieces = pieces
    this.mediaType = mediaType
    this.headers = headers
  }
}

/** The response of a streamed answer. What goes wrong on the way breaks it off: a client must not take a part for the whole. */
export function streamedResponse(
  { pieces }: Streamed,
  init: { status: number; headers: Headers },
  { gzip, onFailure }: { gzip: boolean; onFailure(error: unknown): void },
): Response {
  const encoder = new TextEncoder()
  let left = false
  const plain = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next()
          if (left) return
          if (done) controller.close()
          else controller.enqueue(encoder.encode(value))
        } catch (error) {
          if (left) return
          onFailure(error)
          // Without the error: Bun would print it, parameters of a statement and all.
          controller.error()
        }
      },
      async cancel() {
        left = true
        await pieces.return()
      },
    },
    { highWaterMark: 0 },
  )
  init.headers.append('vary', 'Accept-Encoding')
  if (gzip) init.headers.set('content-encoding', 'gzip')
  return new Response(gzip ? plain.pipeThrough(new CompressionStream('gzip')) : plain, init)
}

const CODING = /^\s*(gzip|x-gzip|\*)\s*(?:;\s*q=([\d.]+)\s*)?$/i

/** Whether an `Accept-Encoding` has gzip; a named coding counts before `*`, and a quality of 0 is a no. */
export function acceptsGzip(accepted: string | null): boolean {
  const codings = (accepted ?? '').split(',').flatMap((part) => {
    const [, name, quality = '1'] = CODING.exec(part) ?? []
    return name === undefined ? [] : [{ any: name === '*', wanted: Number(quality) > 0 }]
  })
  return (codings.find(({ any }) => !any) ?? codings[0])?.wanted ?? false
}
