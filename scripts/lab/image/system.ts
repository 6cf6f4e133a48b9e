import { existsSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BUN } from '../../toolchain/checkout.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { run } from '../../toolchain/run.ts'
import { copyFile } from './content.ts'

/** The user of the image. Kubernetes needs a number to see that it is not root. */
export const USER = 65_532

const LOADERS = ['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1']

const ACCOUNTS = {
  'etc/passwd': `root:x:0:0:root:/root:/sbin/nologin\nmarketplace:x:${USER}:${USER}:marketplace:/tmp:/sbin/nologin\n`,
  'etc/group': `root:x:0:\nmarketplace:x:${USER}:\n`,
  'etc/nsswitch.conf': 'hosts: files dns\n',
}

/** Writes what Bun needs of a system: the libraries that it links, the accounts and a folder for temporary files. */
export async function writeSystem(folder: string): Promise<void> {
  for (const library of await librariesOfBun()) await copyFile(library, join(folder, library), 0o755)
  const texts = { ...ACCOUNTS, ...(await packageFiles()) }
  for (const [path, text] of Object.entries(texts)) {
    await Bun.write(join(folder, path), text)
    await chmod(join(folder, path), 0o644)
  }
  await mkdir(join(folder, 'tmp'), { recursive: true })
  await chmod(join(folder, 'tmp'), 0o1777)
}

/** The loader of programs, and the libraries that it finds for Bun. */
async function librariesOfBun(): Promise<string[]> {
  const loader = LOADERS.find((path) => existsSync(path))
  if (!loader) throw new CommandError('The image is built with a Bun for glibc: set BUN_IMAGE to an image that has it.')
  const { code, output } = await run([loader, '--list', BUN])
  if (code !== 0) throw new Error(output)
  const libraries = [...output.matchAll(/=> (\S+)/g)].flatMap(([, path]) => path ?? [])
  return [...new Set([loader, ...libraries])].sort()
}

interface SystemPackage {
  name: string
  version: string
  distribution: string
  /** The description of the package in the database of Debian. */
  status: string
}

/** The packages of Debian that have the libraries; none on another distribution. */
export async function systemPackages(): Promise<SystemPackage[]> {
  if (!Bun.which('dpkg-query')) return []
  const { code, output } = await run(['dpkg-query', '--search', ...(await librariesOfBun())])
  if (code !== 0) throw new Error(output)
  const names = new Set([...output.matchAll(/^(\S+?)(?::\S+)?: /gm)].flatMap(([, name]) => name ?? []))
  const release = await Bun.file('/etc/os-release').text()
  const [, distribution = 'debian'] = /^ID=(\S+)$/m.exec(release) ?? []
  return Promise.all(
    [...names].sort().map(async (name) => {
      const { output: status } = await run(['dpkg-query', '--status', name])
      const [, version = ''] = /^Version: (.+)$/m.exec(status) ?? []
      return { name, version, distribution, status }
    }),
  )
}

/** What scanners of images and the licences of the packages need, at the paths of images without a shell. */
async function packageFiles(): Promise<Record<string, string>> {
  const packages = await systemPackages()
  const files = packages.map(async ({ name, status }) => {
    const copyright = `usr/share/doc/${name}/copyright`
    const text = Bun.file(`/${copyright}`)
    return {
      [`var/lib/dpkg/status.d/${name}`]: status,
      // Slim images may lack the texts.
      ...((await text.exists()) ? { [copyright]: await text.text() } : {}),
    }
  })
  const release = packages.length > 0 ? { 'etc/os-release': await Bun.file('/etc/os-release').text() } : {}
  return Object.assign(release, ...(await Promise.all(files)))
}
