import { join } from 'node:path'

/** The root of this checkout. */
export const ROOT = join(import.meta.dir, '..', '..')

/** Downloads: may be deleted at any time, and are brought again. */
export const CACHE = join(ROOT, '.cache')

/** The Bun that runs this script runs everything else too. */
export const BUN = process.execPath
