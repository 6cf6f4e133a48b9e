import type { Receipt } from './receipts.ts'

/** How long a claimed request may still arrive, and how many of one endpoint and replica. */
const CLAIMED_MS = 15_000

/** The time from the answer to a pause or a deletion until the endpoint is active again. */
export interface Silence {
  endpoint: number
  fromMs: number
  untilMs: number
}

export interface Tally {
  received: number
  /** Receipts of an event at an endpoint beyond the first. */
  doubled: number
  lost: string[]
  /** Receipts in a silence, which were claimed before it. */
  claimed: number
  /** Receipts in a silence, later than a claimed request may arrive or more than may be claimed. */
  late: number
}

/** Compares what arrived with the expected ids of events at each endpoint. */
export function tallyOf(
  expected: ReadonlyMap<number, readonly string[]>,
  receipts: readonly Receipt[],
  silences: readonly Silence[],
  maxClaimed: number,
): Tally {
  const arrived = new Map<number, Set<string>>()
  let doubled = 0
  for (const { endpoint, id } of receipts) {
    const ids = arrived.get(endpoint) ?? new Set()
    arrived.set(endpoint, ids)
    if (ids.has(id)) doubled++
    ids.add(id)
  }
  const lost = [...expected].flatMap(([endpoint, ids]) =>
    ids.filter((id) => !arrived.get(endpoint)?.has(id)).map((id) => `${endpoint} ${id}`),
  )
  const silent = silences.map((silence) => receipts.filter((receipt) => isIn(silence, receipt)))
  return {
    received: receipts.length - doubled,
    doubled,
    lost,
    claimed: silent.flat().length,
    late: silent
      .map((some, at) => {
        const limitMs = (silences[at]?.fromMs ?? 0) + CLAIMED_MS
        const inTime = some.filter(({ atMs }) => atMs <= limitMs).length
        return some.length - inTime + Math.max(0, inTime - maxClaimed)
      })
      .reduce((sum, count) => sum + count, 0),
  }
}

const isIn = ({ endpoint, fromMs, untilMs }: Silence, receipt: Receipt) =>
  receipt.endpoint === endpoint && receipt.atMs > fromMs && receipt.atMs < untilMs
