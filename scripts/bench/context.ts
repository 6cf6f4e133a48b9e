import type { Lifecycle } from '../toolchain/command.ts'
import type { Pace, Row } from './compare.ts'
import type { Platform } from './services.ts'

/** What a section of the benchmark works with. */
export interface Context extends Platform, Pick<Lifecycle, 'onStop' | 'progress'> {
  /** The same services over few records, for times that should not depend on the number of records. */
  small: Platform
  pace: Pace
}

/** Measures some figures. The rows before a failure are kept. */
export type Section = (context: Context) => AsyncIterable<Row>
