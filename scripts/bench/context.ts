import type { Lifecycle } from '../toolchain/command.ts'
import type { Pace } from './compare.ts'
import type { Database } from './stage/database.ts'
import type { Services } from './stage/services.ts'
import type { Row } from './table.ts'

/** What a section of the benchmark works with. */
export interface Context extends Pick<Lifecycle, 'onStop' | 'progress'> {
  database: Database
  services: Services
  pace: Pace
}

/** Measures some figures. The rows before a failure are kept. */
export type Section = (context: Context) => AsyncIterable<Row>
