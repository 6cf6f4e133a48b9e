import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './checkout.ts'

/**
 * The help of `./scripts/<name>`. It is a file, because the scripts print it where neither Bun nor packages are
 * installed.
 */
export const helpText = (name: string): string => readFileSync(join(ROOT, 'scripts', 'help', `${name}.txt`), 'utf8')

/**
 * Whether the help is wanted and was printed, because the packages that would describe each command are not installed.
 */
export function printedHelp(name: string, words: readonly string[] = process.argv.slice(2)): boolean {
  if (!isHelpWanted(words) || existsSync(join(ROOT, 'node_modules', 'commander'))) return false
  process.stdout.write(helpText(name))
  return true
}

/** Help is given without an installation. */
export const isHelpWanted = (words: readonly string[] = process.argv.slice(2)): boolean =>
  words.some((word) => word === '--help' || word === '-h')
