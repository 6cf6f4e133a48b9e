import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BUN } from '../../toolchain/checkout.ts'
import type { Builder } from './builder.ts'
import { copyFile } from './content.ts'
import { writeSystem } from './system.ts'

const NAME = 'localhost/marketplace-build:bun'
/** The build stage verifies the package registry with the authorities of this machine. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'

/**
 * An image for the build stage, made of the Bun and the libraries of this machine, for where no registry of images
 * answers.
 */
export async function buildLocalBase({ build }: Builder): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'image-base-'))
  try {
    await writeSystem(join(folder, 'files'))
    await mkdir(join(folder, 'files', 'root'))
    await copyFile(BUN, join(folder, 'files', 'usr', 'local', 'bin', 'bun'), 0o755)
    if (existsSync(AUTHORITIES)) await cp(AUTHORITIES, join(folder, 'files', AUTHORITIES), { dereference: true })
    await Bun.write(
      join(folder, 'Dockerfile'),
      `FROM scratch\nCOPY files/ /\nENV PATH=/usr/local/bin NODE_EXTRA_CA_CERTS=${AUTHORITIES}\n`,
    )
    await build({ name: NAME, arguments: {}, timestamp: 0, context: folder })
    return NAME
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
