import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BUN } from './checkout.ts'
import { CommandError } from './command-error.ts'
import { install, type Progress, succeeds } from './installation.ts'
import { outputOf, run } from './run.ts'

/** A Chromium for Linux in a package of npm. */
const PACKAGE = '@sparticuz/chromium@153.0.0'
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge']
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

const starts = (path: string) => succeeds([path, '--version'])

/** The path of a Chromium: that of `CHROMIUM`, of the machine, of npm, or for root of Debian. */
export async function findBrowser(options: Progress, named = process.env.CHROMIUM): Promise<string> {
  if (named) {
    if (await starts(named)) return named
    throw new CommandError(`CHROMIUM names ${named}, which does not start.`)
  }
  const onMachine = await installedBrowser()
  if (onMachine) return onMachine
  const fromPackage = await installFromPackage(options).catch(() => undefined)
  if (fromPackage) return fromPackage
  options.signal?.throwIfAborted()
  if (process.getuid?.() === 0 && Bun.which('apt-get')) {
    options.progress('Installing Chromium with apt-get')
    await run(['apt-get', 'install', '--yes', '--no-install-recommends', 'chromium'], { timeoutMs: 10 * 60_000 })
    const installed = await installedBrowser()
    if (installed) return installed
  }
  throw new CommandError(
    'The tests of the console need Chromium, which could not be installed: install it, or set CHROMIUM to its path.',
  )
}

async function installedBrowser(): Promise<string | undefined> {
  for (const path of [...NAMES.map((name) => Bun.which(name)), MAC]) {
    if (path && (await starts(path))) return path
  }
  return undefined
}

/** The package unpacks its program into the temporary directory, which is the folder here. */
const installFromPackage = (options: Progress): Promise<string> =>
  install(
    'chromium',
    ['chromium'],
    (path) => [path, '--version'],
    options,
    async (staging) => {
      options.progress(`Installing ${PACKAGE}`)
      await writeFile(join(staging, 'package.json'), '{"private": true, "type": "module"}')
      await outputOf([BUN, 'add', '--exact', PACKAGE], { cwd: staging })
      const unpack = "await (await import('@sparticuz/chromium')).default.executablePath()"
      await outputOf([BUN, '--eval', unpack], { cwd: staging, env: { ...process.env, TMPDIR: staging } })
    },
  )
