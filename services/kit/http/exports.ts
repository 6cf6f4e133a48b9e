import { KeyedSemaphore } from '../limits/keyed-semaphore.ts'
import type { ObserveConcurrency } from '../metrics/concurrency.ts'
import { Streamed } from './stream.ts'

/** An export takes as long as its client reads. Each replica and each organization has a limit. */
const EXPORTS = { what: 'exports', permits: 16, permitsPerKey: 2 }

/** Streams the batches of an export at the speed of its client, with a permit of the organization. */
type Exporter = (
  orgId: string,
  batches: AsyncGenerator<string, void>,
  file: { mediaType: string; name: string },
) => Promise<Streamed>

export function createExporter(observeConcurrency: ObserveConcurrency): Exporter {
  const permits = new KeyedSemaphore(EXPORTS)
  observeConcurrency(permits)

  async function* permitted(orgId: string, batches: AsyncGenerator<string, void>) {
    const release = permits.acquire(orgId)
    try {
      yield* batches
    } finally {
      release()
    }
  }

  return async (orgId, batches, { mediaType, name }) => {
    const chunks = permitted(orgId, batches)
    // An error in the first batch can still be answered with its status.
    let first: IteratorResult<string, unknown> | undefined = await chunks.next()
    const started = {
      async next() {
        const chunk = first ?? (await chunks.next())
        first = undefined
        return chunk
      },
      return: () => chunks.return(),
    }
    return new Streamed(started, mediaType, { 'content-disposition': `attachment; filename="${name}"` })
  }
}
