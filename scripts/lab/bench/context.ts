import type { Lifecycle } from '../../toolchain/command.ts'
import type { Pace, Row } from './compare.ts'
import type { DatabaseName } from './database.ts'
import type { Platform } from './services.ts'

/** What a section of the benchmark works with. */
export interface Context extends Platform, Pick<Lifecycle, 'onStop' | 'progress'> {
  /** The same services over another database, such as one of few records. */
  platformOf: (name: DatabaseName) => Promise<Platform>
  pace: Pace
}

/** Measures some figures. The rows before a failure are kept. */
export type Section = (context: Context) => AsyncIterable<Row>
