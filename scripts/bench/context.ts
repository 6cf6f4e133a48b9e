import type { Pace } from './rounds.ts'
import type { Database } from './stage/database.ts'
import type { Services } from './stage/services.ts'

export interface Account {
  email: string
  password: string
}

/** What a section of the benchmark works with. */
export interface Context {
  database: Database
  services: Services
  account: Account
  /** Parts of the platform, drafts included. */
  parts: number
  /** Entries of the audit log of the account's organization. */
  auditEntries: number
  /** Users of the platform, all organizations together. */
  userCount: number
  /** The rounds of a figure. */
  pace: Pace
  /** The shorter rounds that find the best number of connections. */
  trial: Pace
  onStop: (undo: () => Promise<void>) => void
  progress: (line: string) => void
}
