import type { Figure } from './figures.ts'
import type { Pace } from './rounds.ts'
import type { Database } from './stage/database.ts'
import type { Account } from './stage/people.ts'
import type { Services } from './stage/services.ts'

/** What a measurement works with. */
export interface Bench {
  database: Database
  services: Services
  account: Account
  /** Entries of the audit log of the account's organization. */
  auditEntries: number
  /** Parts of the platform, drafts too. */
  parts: number
  /** Users of the platform, all organizations together. */
  userCount: number
  /** The rounds that make a figure. */
  pace: Pace
  /** The shorter ones that find out how each side does best. */
  trial: Pace
  onStop: (undo: () => Promise<void>) => void
  progress: (line: string) => void
}

export type Measure = (bench: Bench) => Promise<Figure[]>

/** What is printed instead of the figures that need it. */
export const PGBENCH_MISSING =
  'pgbench is missing: install the client tools of Postgres (Debian: postgresql-contrib) for the ratios to the limit of the database.'
