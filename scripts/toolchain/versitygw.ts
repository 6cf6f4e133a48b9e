import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CACHE } from './checkout.ts'
import { bringGo, goInstall } from './go.ts'
import { Refusal, sentenceFor } from './refusal.ts'
import { run, tail } from './run.ts'

const VERSION = '1.8.0'
const MODULE = 'github.com/versity/versitygw/cmd/versitygw'
const FOLDER = join(CACHE, 'versitygw')
const BINARY = join(FOLDER, 'bin', 'versitygw')

/** The path of a real S3 server, which no registry has ready-made: Go builds it, once for a checkout. */
export async function bringVersitygw(progress: (line: string) => void, signal?: AbortSignal): Promise<string> {
  if (await runs(BINARY)) return BINARY
  const go = await bringGo(progress, signal)
  if (go === undefined) {
    throw new Refusal('The tests of S3 need versitygw, built by Go: install Go, or Python 3 with pip, which brings it.')
  }
  const staging = `${FOLDER}.${process.pid}`
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true })
  try {
    progress(`Building versitygw ${VERSION} with Go: two minutes or three`)
    const options = signal ? { signal } : {}
    const { code, output } = await goInstall(go, `${MODULE}@v${VERSION}`, join(staging, 'bin'), options)
    signal?.throwIfAborted()
    // Another run in this checkout may have been quicker.
    if (await runs(BINARY)) return BINARY
    if (code !== 0) {
      throw new Refusal(sentenceFor(output) ?? `versitygw ${VERSION} could not be built:\n${tail(output)}`)
    }
    // Moved whole, so that an interrupted build is never mistaken for the server.
    await rm(FOLDER, { recursive: true, force: true })
    await rename(staging, FOLDER)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  return BINARY
}

const runs = async (binary: string) => (await run([binary, '--version'])).code === 0
