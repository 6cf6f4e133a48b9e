import type { Pool } from '../../kit/db/client.ts'

export interface Entry {
  procedure: string
  success: boolean
  error: string | null
  orgId: string
  actorId: string
  grantId: string | null
  request: Record<string, unknown> | null
}

/** An entry has the time of its command, which is written within this time. */
const LONGEST_COMMAND_MS = 10_000

/** Reads new entries of the audit log. */
export class AuditLogReader {
  readonly #owner: Pool
  readonly #seen = new Set<string>()
  /** The oldest transaction that the last call may not have seen. Every number of a transaction is larger than 2. */
  #oldest = '3'
  #lastCallMs = 0

  constructor(owner: Pool) {
    this.#owner = owner
  }

  /** Entries since the last call, in the order of writing. */
  async newEntries(): Promise<Entry[]> {
    // The condition on the time lets the index skip most of the thousands of entries.
    const since = new Date(Math.max(0, this.#lastCallMs - LONGEST_COMMAND_MS)).toISOString()
    this.#lastCallMs = Date.now()
    const rows = await this.#owner<(Entry & { id: string; oldest: string })[]>`
      select id, procedure, success, error, org_id as "orgId", actor_id as "actorId", grant_id as "grantId", request,
        pg_snapshot_xmin(pg_current_snapshot())::text as oldest
      from organization.audit_log
      where timestamp >= ${since} and age(xmin) <= age(${this.#oldest}::text::xid) order by timestamp, id`
    this.#oldest = rows[0]?.oldest ?? this.#oldest
    const unseen = rows.filter(({ id }) => !this.#seen.has(id))
    for (const { id } of unseen) this.#seen.add(id)
    return unseen.map(({ id, oldest, ...entry }) => entry)
  }

  /** The result of the work and the entries that it wrote. */
  async during<T>(work: () => Promise<T>): Promise<{ result: T; entries: Entry[] }> {
    await this.newEntries()
    const result = await work()
    return { result, entries: await this.newEntries() }
  }
}
