import { contentLengthOf } from '../limits/content-length.ts'

/** Reads at most `maxBytes` of a body and cancels the rest. */
export async function readAtMost(
  response: Response,
  maxBytes: number,
): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  // A short body is read in one piece, because a stream would cost more than everything else.
  if (isShort(response, maxBytes)) return { bytes: await response.bytes(), isWhole: true }
  const chunks: Uint8Array[] = []
  let total = 0
  if (response.body) {
    for await (const chunk of response.body) {
      chunks.push(chunk.subarray(0, maxBytes - total))
      total += chunk.byteLength
      // Leaving the loop cancels the stream.
      if (total > maxBytes) break
    }
  }
  return { bytes: Buffer.concat(chunks), isWhole: total <= maxBytes }
}

/** Whether `Content-Length` limits the body to `maxBytes`. It has no effect if the response has a transfer coding. */
const isShort = (response: Response, maxBytes: number) =>
  !response.headers.has('transfer-encoding') && (contentLengthOf(response) ?? Number.POSITIVE_INFINITY) <= maxBytes
