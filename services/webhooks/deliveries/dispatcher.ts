import { LRUCache } from 'lru-cache'
import { timeAt } from '../../../proto/durations.ts'
import type { AddressGuard } from '../../kit/addresses/guard.ts'
import type { Kit } from '../../kit/service/service.ts'
import { inCallSpan } from '../../kit/traces/traces.ts'
import { WakeSignal } from '../../kit/worker/wake-signal.ts'
import { aborted, levelOf, type Worker } from '../../kit/worker/worker.ts'
import { type AttemptResult, attemptDelivery, UNSIGNED } from './attempt.ts'
import { CompletionBatch } from './completion-batch.ts'
import { type ObserveAttempt, outcomeOf } from './metrics.ts'
import {
  type ClaimedDelivery,
  claimDue,
  DUE_CHANNEL,
  listDueEndpoints,
  listDueEndpointsOf,
  releaseLeases,
} from './queries.ts'
import { isLastAttempt, isSuccess, pauseAfter } from './rules.ts'
import { afterClaim, type Candidate, type InFlight, shareSlots, unprovenSlotsOf, withOthers } from './slots.ts'

interface DispatcherDeps extends Pick<Kit, 'sql' | 'notifier' | 'box' | 'clock' | 'log'> {
  guard: AddressGuard
  observe: ObserveAttempt
  /** Requests in flight, at most. */
  slots: number
}

const CACHED_SECRETS = 1000
/** Longer than an attempt, so that only the lease of a crashed worker expires. */
const LEASE_SECONDS = 45
/** Finds retries that have become due and deliveries whose notification was lost. */
const SWEEP_MS = 1000

/** Sends due deliveries. Every replica runs one; each delivery is leased by one of them. */
export class Dispatcher implements Worker {
  readonly name = 'webhook-dispatcher'
  readonly claims = true
  readonly #deps: DispatcherDeps
  readonly #wake = new WakeSignal()
  readonly #completions: CompletionBatch
  /** Decrypted secrets by their stored text. */
  readonly #secrets: LRUCache<string, string>
  readonly #running = new Map<Promise<void>, ClaimedDelivery>()
  /** Endpoints that had due deliveries when they were listed, without those whose deliveries were all claimed since. */
  #candidates: readonly Candidate[] = []
  /** Organizations whose deliveries have become due since then. */
  #notified = new Set<string>()
  #sweepAtMs = 0
  #sweeping: Promise<void> | undefined

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#completions = new CompletionBatch(deps)
    this.#secrets = new LRUCache({ max: CACHED_SECRETS, fetchMethod: (encrypted) => deps.box.decrypt(encrypted) })
  }

  async run(signal: AbortSignal, closing = signal): Promise<void> {
    const stopListening = this.#deps.notifier.onCommit([DUE_CHANNEL], this.#notifyDue)
    try {
      while (!closing.aborted) {
        if (!(await this.#claim())) await this.#wake.wait(SWEEP_MS, closing)
      }
    } finally {
      stopListening()
      if (closing.aborted) await this.#end(signal)
    }
  }

  /** Waits for the attempts that run. Those that still do when the signal aborts are repeated by another replica. */
  async #end(signal: AbortSignal): Promise<void> {
    await Promise.race([Promise.all([...this.#running.keys(), this.#sweeping]), aborted(signal)])
    await this.#completions.flush()
    if (this.#running.size > 0) await releaseLeases(this.#deps.sql, [...this.#running.values()])
  }

  #notifyDue = (orgIds?: readonly string[]): void => {
    if (orgIds) for (const orgId of orgIds) this.#notified.add(orgId)
    else this.#sweepAtMs = 0
    this.#wake.notify()
  }

  /** Returns whether there was something to claim. If other replicas have it, the endpoints behind are next. */
  async #claim(): Promise<boolean> {
    const { sql, clock } = this.#deps
    const now = timeAt(clock())
    if (this.#running.size === this.#deps.slots) return false
    await this.#listCandidates(now)
    const proven = this.#sharesOf(true)
    const started = [...proven.values()].reduce((sum, share) => sum + share, 0)
    const shares = new Map([...proven, ...this.#sharesOf(false, started)])
    if (shares.size === 0) return false
    const lease = { token: crypto.randomUUID(), seconds: LEASE_SECONDS }
    const claimed = await claimDue(sql, shares, lease, now)
    for (const delivery of claimed) this.#start(delivery)
    this.#candidates = afterClaim(this.#candidates, shares, claimed)
    return true
  }

  async #listCandidates(now: string): Promise<void> {
    const { sql } = this.#deps
    const orgIds = this.#notified
    this.#notified = new Set()
    if (performance.now() >= this.#sweepAtMs) this.#startSweep(now)
    if (orgIds.size > 0) this.#add(await listDueEndpointsOf(sql, [...orgIds], now))
  }

  /** Claims of the endpoints that are known go on meanwhile. */
  #startSweep(now: string): void {
    this.#sweeping ??= this.#sweep(now).finally(() => {
      this.#sweeping = undefined
    })
  }

  /** Lists all endpoints with due deliveries. */
  async #sweep(now: string): Promise<void> {
    this.#sweepAtMs = performance.now() + SWEEP_MS
    try {
      this.#add(await listDueEndpoints(this.#deps.sql, now))
      this.#wake.notify()
    } catch (err) {
      this.#deps.log[levelOf(err)]({ err }, 'due deliveries could not be listed')
    }
  }

  /** Adds to what was found meanwhile. A claim removes those without due deliveries. */
  #add(found: readonly Candidate[]): void {
    this.#candidates = withOthers(this.#candidates, found)
  }

  /** The shares of the endpoints that are proven, or of the others, if some are given to the former. */
  #sharesOf(proven: boolean, started = 0): Map<string, number> {
    return shareSlots(
      this.#candidates.filter(({ isProven }) => isProven === proven),
      this.#inFlight(proven, started),
    )
  }

  #inFlight(proven: boolean, started: number): InFlight {
    const ofEndpoint = new Map<string, number>()
    const ofOrg = new Map<string, number>()
    let ofPool = 0
    for (const { endpoint_id: endpointId, org_id: orgId, is_proven: isProven } of this.#running.values()) {
      if (isProven !== proven) continue
      ofPool++
      ofEndpoint.set(endpointId, (ofEndpoint.get(endpointId) ?? 0) + 1)
      ofOrg.set(orgId, (ofOrg.get(orgId) ?? 0) + 1)
    }
    const { slots } = this.#deps
    const free = slots - this.#running.size - started
    return { free: proven ? free : Math.min(free, unprovenSlotsOf(slots) - ofPool), ofEndpoint, ofOrg }
  }

  #start(delivery: ClaimedDelivery): void {
    const work: Promise<void> = this.#deliver(delivery)
      .catch((err) => this.#deps.log[levelOf(err)]({ err, delivery: delivery.id }, 'a delivery was not recorded'))
      .finally(() => {
        this.#running.delete(work)
        this.#wake.notify()
      })
    this.#running.set(work, delivery)
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { clock } = this.#deps
    const startedMs = clock()
    const result = await inCallSpan(callOf(delivery), () => this.#attempt(delivery))
    const endedMs = clock()
    const scheduled = delivery.attempt - delivery.retries
    const state = isSuccess(result) ? 'DELIVERED' : isLastAttempt(scheduled) ? 'FAILED' : 'PENDING'
    const pauseMs = state === 'PENDING' ? pauseAfter(scheduled, result, Math.random()) : 0
    const { status, error, response } = result
    this.#deps.observe(
      outcomeOf(status),
      endedMs - startedMs,
      state === 'DELIVERED' ? latencyOf(delivery, endedMs) : undefined,
    )
    await this.#completions.add({
      deliveryId: delivery.id,
      endpointId: delivery.endpoint_id,
      isTest: delivery.is_test,
      attempt: delivery.attempt,
      leaseToken: delivery.lease_token,
      state,
      nextAttemptAt: timeAt(endedMs + pauseMs),
      startedAt: timeAt(startedMs),
      durationMs: endedMs - startedMs,
      status,
      error,
      response,
    })
  }

  async #attempt(delivery: ClaimedDelivery): Promise<AttemptResult> {
    const { id, endpoint_id: endpoint, secret, previous_secrets: previous } = delivery
    let present: string
    try {
      present = await this.#secrets.forceFetch(secret)
    } catch (err) {
      this.#deps.log.error({ err, delivery: id, endpoint }, 'a delivery could not be signed')
      return UNSIGNED
    }
    // A rotation replaces a secret that cannot be decrypted, which is then a previous one.
    const earlier = await Promise.all(previous.map((one) => this.#secrets.forceFetch(one).catch(() => undefined)))
    return attemptDelivery(this.#deps, delivery, [present, ...earlier.filter((one) => one !== undefined)])
  }
}

/** The time from an event to its delivery by a first attempt; undefined for a repetition and for a test. */
const latencyOf = ({ attempt, replay, is_test: isTest, event_time: eventTime }: ClaimedDelivery, endedMs: number) =>
  attempt === 1 && replay === 0 && !isTest ? endedMs - Date.parse(eventTime) : undefined

/** The attributes of a delivery in traces. */
const callOf = ({ type, endpoint_id: endpointId, attempt, traceparent }: ClaimedDelivery) => ({
  service: 'webhooks' as const,
  name: `deliver ${type}`,
  attributes: { 'webhook.endpoint': endpointId, 'webhook.attempt': attempt, 'http.request.method': 'POST' },
  traceparent,
})
