import { join } from 'node:path'

/** The root of this checkout. */
export const ROOT = join(import.meta.dir, '..', '..')

/** Downloads; may be deleted at any time. */
export const CACHE = join(ROOT, '.cache')

/** The program of a command of `scripts/commands`. */
export const commandFile = (name: string): string => join(ROOT, 'scripts', 'commands', name, 'main.ts')

/** The Bun that runs this script. It also runs all other programs. */
export const BUN = process.execPath
