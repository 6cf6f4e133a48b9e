import { mkdir, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { BUN, ROOT } from './checkout.ts'
import { CommandError, sentenceFor } from './command-error.ts'
import { run, tail } from './run.ts'

/**
 * The browser modules of the API reference that the documentation page shows. The package has three hundred megabytes
 * of dependencies, which its browser modules contain already, so only these modules are taken from its archive.
 */
const PACKAGE = '@scalar/api-reference@1.72.1'
const SHA512 = 'XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow=='
const MODULES = 'package/dist/browser'

const FOLDER = join(ROOT, 'node_modules', '.api-reference')
const STAMP = join(FOLDER, 'version')

/** Downloads the API reference from the configured package registry, unless it is there. */
export async function installApiReference(progress: (line: string) => void): Promise<void> {
  const installed = Bun.file(STAMP)
  if ((await installed.exists()) && (await installed.text()) === PACKAGE) return
  progress('Installing the API reference')
  const archive = await download()
  if (new Bun.CryptoHasher('sha512').update(archive).digest('base64') !== SHA512) {
    throw new CommandError(`The archive of ${PACKAGE} does not have the expected checksum.`)
  }
  await rm(FOLDER, { recursive: true, force: true })
  for (const [path, file] of await new Bun.Archive(archive).files(`${MODULES}/**/*.js`)) {
    const target = join(FOLDER, relative(MODULES, path))
    await mkdir(dirname(target), { recursive: true })
    await Bun.write(target, file)
  }
  await Bun.write(STAMP, PACKAGE)
}

async function download(): Promise<Uint8Array> {
  const { code, output } = await run([BUN, 'info', PACKAGE, 'dist.tarball'])
  if (code !== 0) throw new CommandError(sentenceFor(output) ?? `${PACKAGE} was not found:\n${tail(output)}`)
  const response = await fetch(output.trim())
  if (!response.ok)
    throw new CommandError(`${PACKAGE} could not be downloaded: the registry answered ${response.status}.`)
  return response.bytes()
}
