import { join } from 'node:path'

/** The root of this checkout. */
export const ROOT = join(import.meta.dir, '..', '..')

/** Downloads; may be deleted at any time. */
export const CACHE = join(ROOT, '.cache')

/** The Bun that runs this script. It also runs all other programs. */
export const BUN = process.execPath
