/** Requests in flight of one replica, at most. A slot is used until the result of its request is recorded. */
export const SLOTS = 768
export const SLOTS_PER_ENDPOINT = 32
/**
 * Deliveries of one claim, at most. A replica that starts hundreds of requests in one turn delays all others meanwhile,
 * and again when they time out together.
 */
const MAX_CLAIMED = 64

/** The slots of a replica. The others of Bun's requests are left for those of other services in the process. */
export const slotsOf = (maxHttpRequests: number) => Math.min(SLOTS, Math.floor(maxHttpRequests / 2))

/** An endpoint with due deliveries. */
export interface Candidate {
  endpointId: string
  orgId: string
  /** Whether its last result was a success. */
  isProven: boolean
}

/** Candidates in the order of their turns as they were found now, and others behind them. */
export function withOthers(candidates: readonly Candidate[], found: readonly Candidate[]): readonly Candidate[] {
  const current = new Map(found.map((one) => [one.endpointId, one]))
  const known = new Set(candidates.map(({ endpointId }) => endpointId))
  return [
    ...candidates.map((one) => current.get(one.endpointId) ?? one),
    ...found.filter(({ endpointId }) => !known.has(endpointId)),
  ]
}

/**
 * The candidates after a claim. An endpoint that used less than its share has no more due deliveries and is removed.
 * Organizations and endpoints that had a share go behind those that had none, because otherwise the first of many would
 * have each turn.
 */
export function afterClaim(
  candidates: readonly Candidate[],
  shares: ReadonlyMap<string, number>,
  claimed: readonly { endpoint_id: string }[],
): readonly Candidate[] {
  const left = new Map(shares)
  for (const { endpoint_id: id } of claimed) left.set(id, (left.get(id) ?? 0) - 1)
  const served = new Set(candidates.flatMap(({ endpointId, orgId }) => (shares.has(endpointId) ? [orgId] : [])))
  const turnOf = ({ endpointId, orgId }: Candidate) => Number(served.has(orgId)) + Number(shares.has(endpointId))
  return candidates
    .filter(({ endpointId }) => (left.get(endpointId) ?? 0) <= 0)
    .toSorted((a, b) => turnOf(a) - turnOf(b))
}

/**
 * The slots for endpoints that have no success yet or have failed since. They share a third, so that however many of
 * them hang, the endpoints that work keep two thirds.
 */
export const unprovenSlotsOf = (slots: number) => third(slots)

/** Slots of a replica: those that are free, and those in use by endpoint and by organization. */
export interface InFlight {
  /** Free slots. */
  free: number
  ofEndpoint: ReadonlyMap<string, number>
  ofOrg: ReadonlyMap<string, number>
}

/**
 * How many deliveries of each endpoint may start now: one of each organization in turn, and of each of its endpoints in
 * turn. An organization may occupy a third of the slots that are free, and an endpoint a third of what its organization
 * has left (dynamic thresholds). So one organization gets at most a quarter, and however many hang, some slots stay
 * free.
 */
export function shareSlots(
  candidates: readonly Pick<Candidate, 'endpointId' | 'orgId'>[],
  { ofEndpoint, ofOrg, ...slots }: InFlight,
): Map<string, number> {
  const started = new Map<string, number>()
  let { free } = slots
  const keptFree = Math.max(0, free - MAX_CLAIMED)
  let waiting = [...Map.groupBy(candidates, ({ orgId }) => orgId)].map(([orgId, endpoints]) => ({
    running: ofOrg.get(orgId) ?? 0,
    endpoints: endpoints.map(({ endpointId: id }) => ({ id, running: ofEndpoint.get(id) ?? 0 })),
  }))
  while (waiting.length > 0 && free > keptFree) {
    waiting.sort((a, b) => a.running - b.running)
    for (const org of waiting) {
      if (free === keptFree) break
      const left = third(free) - org.running
      org.endpoints = org.endpoints.filter(({ running }) => running < Math.min(third(left), SLOTS_PER_ENDPOINT))
      const next = leastRunning(org.endpoints)
      if (!next) continue
      next.running++
      org.running++
      free--
      started.set(next.id, (started.get(next.id) ?? 0) + 1)
    }
    waiting = waiting.filter(({ endpoints }) => endpoints.length > 0)
  }
  return started
}

/** Rounded up, so that the last free slot can be used. */
const third = (slots: number) => Math.ceil(slots / 3)

const leastRunning = <Endpoint extends { running: number }>(endpoints: readonly Endpoint[]): Endpoint | undefined =>
  endpoints.reduce<Endpoint | undefined>(
    (least, one) => (least && least.running <= one.running ? least : one),
    undefined,
  )
