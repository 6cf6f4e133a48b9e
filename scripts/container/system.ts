import { existsSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BUN } from '../toolchain/checkout.ts'
import { CommandError } from '../toolchain/command-error.ts'
import { run } from '../toolchain/run.ts'
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
  for (const [path, text] of Object.entries(ACCOUNTS)) {
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
