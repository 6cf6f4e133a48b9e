import { createLog } from '../../kit/log/log.ts'
import { type ObjectSweep, sweepObjects as sweep } from '../../sourcing/objects/sweep.ts'

const log = createLog({ service: 'sourcing', version: '0', level: 'silent' })

/** Sweeps once as of that moment, to the end, and says nothing. */
export const sweepObjects = (deps: Omit<ObjectSweep, 'log'>, now: Date): Promise<void> =>
  sweep({ ...deps, log }, now, new AbortController().signal)
