import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { VERSION } from '../../../services/kit/config/version.ts'
import { BUN, ROOT } from '../../toolchain/checkout.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { run, tail } from '../../toolchain/run.ts'

/** The image that the chart, the Compose file and the lab name. */
export const IMAGE = `localhost/marketplace:${VERSION}`

const BASE = 'localhost/marketplace-base:local'
const LOADERS = ['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1']
/** The build stage verifies the package registry with the authorities of this machine. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'
const ACCOUNTS = {
  'etc/passwd': 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/tmp:/sbin/nologin\n',
  'etc/group': 'root:x:0:\nnonroot:x:65532:\n',
  'etc/nsswitch.conf': 'hosts: files dns\n',
  Dockerfile: `FROM scratch\nCOPY . /\nENV PATH=/usr/local/bin NODE_EXTRA_CA_CERTS=${AUTHORITIES}\n`,
}

/**
 * Builds the Dockerfile where no registry of images answers: both bases are made of the Bun of this checkout and the
 * libraries of this machine.
 */
export async function buildWithoutRegistry(): Promise<void> {
  if (!Bun.which('buildah')) throw new CommandError('Without a registry the image is built with buildah: install it.')
  await buildBase()
  const secret = join(homedir(), '.npmrc')
  await build([
    ...[BASE, BASE].flatMap((image, at) => ['--build-arg', `${['BUN_IMAGE', 'BASE_IMAGE'][at]}=${image}`]),
    ...['--build-arg', `VERSION=${VERSION}`],
    ...(existsSync(secret) ? ['--secret', `id=npmrc,src=${secret}`] : []),
    ...['--tag', IMAGE, ROOT],
  ])
}

async function buildBase(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'image-base-'))
  try {
    const files = [...(await librariesOfBun()), ...(existsSync(AUTHORITIES) ? [AUTHORITIES] : [])]
    for (const file of files) await copy(file, join(folder, file))
    await copy(BUN, join(folder, 'usr', 'local', 'bin', 'bun'))
    for (const [path, text] of Object.entries(ACCOUNTS)) await Bun.write(join(folder, path), text)
    for (const path of ['root', 'tmp']) await mkdir(join(folder, path))
    await chmod(join(folder, 'tmp'), 0o1777)
    await build(['--tag', BASE, folder])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Without privileges, as in continuous integration. The build runs only programs of this repository. */
const build = (options: readonly string[]) => mustRun(['buildah', 'build', '--isolation', 'chroot', ...options])

async function copy(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  await copyFile(source, target)
  await chmod(target, 0o755)
}

/** The loader of programs, and the libraries that it finds for Bun. */
async function librariesOfBun(): Promise<string[]> {
  const loader = LOADERS.find((path) => existsSync(path))
  if (!loader) throw new CommandError('The image needs a Bun for glibc, and this machine has none.')
  const output = await mustRun([loader, '--list', BUN])
  return [loader, ...new Set([...output.matchAll(/=> (\S+)/g)].flatMap(([, path]) => path ?? []))]
}

/** Runs a command that must succeed, and returns its output. */
export async function mustRun(command: string[]): Promise<string> {
  const { code, output } = await run(command)
  if (code !== 0) throw new CommandError(`${command.slice(0, 2).join(' ')} failed:\n${tail(output, 40)}`)
  return output
}
