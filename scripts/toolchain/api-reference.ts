import { mkdir, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { BUN, ROOT } from './checkout.ts'
import { CommandError, sentenceFor } from './command-error.ts'
import { lockedReference } from './reference-packages.ts'
import { run, tail } from './run.ts'

/** The browser modules of the API reference that the documentation page shows, and the manifest of their package. */
const MODULES = 'package/dist/browser'
const MANIFEST = 'package/package.json'

const FOLDER = join(ROOT, 'node_modules', '.api-reference')
const STAMP = join(FOLDER, 'version')

/** Downloads the locked API reference from the configured package registry, unless it is there. */
export async function installApiReference(progress: (line: string) => void): Promise<void> {
  const { id, integrity } = await lockedReference()
  const installed = Bun.file(STAMP)
  if ((await installed.exists()) && (await installed.text()) === integrity) return
  progress('Installing the API reference')
  const archive = await download(id)
  if (`sha512-${new Bun.CryptoHasher('sha512').update(archive).digest('base64')}` !== integrity) {
    throw new CommandError(`The archive of ${id} does not have the checksum of the lockfile.`)
  }
  await rm(FOLDER, { recursive: true, force: true })
  const files = await new Bun.Archive(archive).files(`{${MODULES}/**/*.js,${MANIFEST}}`)
  for (const [path, file] of files) {
    const target = join(FOLDER, relative(path === MANIFEST ? dirname(MANIFEST) : MODULES, path))
    await mkdir(dirname(target), { recursive: true })
    await Bun.write(target, file)
  }
  await Bun.write(STAMP, integrity)
}

async function download(id: string): Promise<Uint8Array> {
  const { code, output } = await run([BUN, 'info', id, 'dist.tarball'])
  if (code !== 0) throw new CommandError(sentenceFor(output) ?? `${id} was not found:\n${tail(output)}`)
  const response = await fetch(output.trim())
  if (!response.ok) throw new CommandError(`${id} could not be downloaded: the registry answered ${response.status}.`)
  return response.bytes()
}
