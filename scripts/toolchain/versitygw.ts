import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CACHE } from './checkout.ts'
import { goInstall, installGo } from './go.ts'
import { Refusal, sentenceFor } from './refusal.ts'
import { run, tail } from './run.ts'

const VERSION = '1.8.0'
const MODULE = 'github.com/versity/versitygw/cmd/versitygw'
const FOLDER = join(CACHE, 'versitygw')
const BINARY = join(FOLDER, 'bin', 'versitygw')

/** The path of a real S3 server, built with Go once for a checkout, because no registry has a binary. */
export async function installVersitygw(progress: (line: string) => void, signal?: AbortSignal): Promise<string> {
  if (await runs(BINARY)) return BINARY
  const go = await installGo(progress, signal)
  if (go === undefined) {
    throw new Refusal(
      'The tests of S3 need versitygw, built by Go: install Go, or Python 3 with pip, which installs it.',
    )
  }
  const staging = `${FOLDER}.${process.pid}`
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true })
  try {
    progress(`Building versitygw ${VERSION} with Go, which takes about three minutes`)
    const options = signal ? { signal } : {}
    const { code, output } = await goInstall(go, `${MODULE}@v${VERSION}`, join(staging, 'bin'), options)
    signal?.throwIfAborted()
    // Another run in this checkout may have finished first.
    if (await runs(BINARY)) return BINARY
    if (code !== 0) {
      throw new Refusal(sentenceFor(output) ?? `versitygw ${VERSION} could not be built:\n${tail(output)}`)
    }
    // Renamed when it is complete, so that an interrupted build is never used.
    await rm(FOLDER, { recursive: true, force: true })
    await rename(staging, FOLDER)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  return BINARY
}

const runs = async (binary: string) => (await run([binary, '--version'])).code === 0
