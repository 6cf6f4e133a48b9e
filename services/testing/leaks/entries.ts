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

/** Reads the audit log as it grows. */
export class AuditLogReader {
  readonly #owner: Pool
  readonly #seen = new Set<string>()

  constructor(owner: Pool) {
    this.#owner = owner
  }

  /** Entries since the last call, in the order in which they were written. */
  async fresh(): Promise<Entry[]> {
    const rows = await this.#owner<(Entry & { id: string })[]>`
      select id, procedure, success, error, org_id as "orgId", actor_id as "actorId", grant_id as "grantId", request
      from organization.audit_log order by timestamp, id`
    const fresh = rows.filter(({ id }) => !this.#seen.has(id))
    for (const { id } of fresh) this.#seen.add(id)
    return fresh.map(({ id, ...entry }) => entry)
  }

  /** What a piece of work left in the log. */
  async during<T>(work: () => Promise<T>): Promise<{ result: T; entries: Entry[] }> {
    await this.fresh()
    const result = await work()
    return { result, entries: await this.fresh() }
  }
}
