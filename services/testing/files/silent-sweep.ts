import { createLog } from '../../kit/log/log.ts'
import { type ObjectSweep, sweepObjects as sweep } from '../../sourcing/objects/sweep.ts'

const log = createLog({ service: 'sourcing', version: '0', level: 'silent' })

/** One sweep at this time, without log output. */
export const sweepObjects = (deps: Omit<ObjectSweep, 'log'>, now: Date): Promise<void> =>
  sweep({ ...deps, log }, now, new AbortController().signal)
