import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './checkout.ts'

/** The help of `./scripts/<name>`. It is a file, because the scripts print it where Bun or packages are missing. */
export const helpText = (name: string): string =>
  readFileSync(join(ROOT, 'scripts', 'commands', name, 'help.txt'), 'utf8')
