import { createLog } from '../../kit/log/log.ts'
import { cleanUpObjects as cleanup, type ObjectCleanup } from '../../sourcing/files/objects/cleanup.ts'

const log = createLog({ service: 'sourcing', version: '0', level: 'silent' })

/** One cleanup at this time, without log output. */
export const cleanUpObjects = (deps: Omit<ObjectCleanup, 'log'>, now: Date): Promise<void> =>
  cleanup({ ...deps, log }, now.toISOString(), new AbortController().signal)
