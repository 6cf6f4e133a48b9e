import { stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { Glob } from 'bun'
import { ROOT } from '../../toolchain/checkout.ts'
import { helpText } from '../../toolchain/command.ts'
import { CommandError } from '../../toolchain/command-error.ts'

export const USAGE = helpText('test')

export interface Options {
  quick: boolean
  /** Also runs the files that check the product against many tools, which the weekly workflow runs. */
  lab: boolean
  help: boolean
  paths: string[]
}

/** Reads the command line; unknown words are refused. */
export function readOptions(words: string[]): Options {
  const options: Options = { quick: false, lab: false, help: false, paths: [] }
  for (const word of words) {
    if (word === '--quick') options.quick = true
    else if (word === '--lab') options.lab = true
    else if (word === '--help' || word === '-h') options.help = true
    else if (word.startsWith('-')) throw new CommandError(`Unknown option ${word}\n\n${USAGE}`)
    else options.paths.push(word)
  }
  return options
}

const isOfLab = (path: string) => path.endsWith('.lab.test.ts')
/** The name of a test file says whether it is slow. */
export const isSlow = (path: string) => path.endsWith('.slow.test.ts') || isOfLab(path)

/**
 * Slow files whose tests send requests and run statements. They start no process, and measure no memory and no time.
 */
const SHARED = [
  /^services\/end-to-end\/(authority|console|fuzz|secrets|tenancy)\//,
  /^services\/(identity\/(impersonation|throttle|tokens)|organization\/scim|sourcing\/files\/imports)\//,
  /[/-](backfill|collusion|concurrency|crawl|expiry|migration|plans|races)\.slow\.test\.ts$/,
  /\/(sealed|search|statements|states)\.slow\.test\.ts$/,
]
/** Whether a slow file runs in a process with others. */
export const sharesProcess = (path: string) => SHARED.some((pattern) => pattern.test(path))

const FOLDERS = ['services', 'proto', 'scripts', 'charts']

/** The test files to run, relative to the root. A given path is relative to the user's folder, or to the root. */
export async function findTests({ quick, lab, paths }: Options, from: string): Promise<string[]> {
  if (paths.length === 0) {
    const all = await Promise.all(FOLDERS.map((folder) => testsIn(folder)))
    return all.flat().filter((path) => (!quick || !isSlow(path)) && (lab || !isOfLab(path)))
  }
  const found = await Promise.all(paths.map((path) => testsAt(path, from)))
  return [...new Set(found.flat())]
}

async function testsAt(path: string, from: string): Promise<string[]> {
  for (const candidate of [resolve(from, path), resolve(ROOT, path)]) {
    const found = await stat(candidate).catch(() => undefined)
    const name = relative(ROOT, candidate)
    if (!found || name.startsWith('..')) continue
    const tests = found.isDirectory() ? await testsIn(name) : name.endsWith('.test.ts') ? [name] : []
    if (tests.length === 0) throw new CommandError(`${path} holds no tests: their names end in .test.ts.`)
    return tests
  }
  throw new CommandError(`${path} does not exist in this checkout.`)
}

async function testsIn(folder: string): Promise<string[]> {
  const cwd = join(ROOT, folder)
  if (!(await stat(cwd).catch(() => undefined))) return []
  const tests: string[] = []
  for await (const path of new Glob('**/*.test.ts').scan({ cwd })) {
    if (!path.includes('node_modules/')) tests.push(join(folder, path))
  }
  return tests.sort()
}
