import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BUN, ROOT } from './checkout.ts'
import { CommandError } from './command-error.ts'
import { hasPip } from './installation.ts'
import { run, tail } from './run.ts'

const CLIENTS = join(ROOT, 'proto', 'clients')
const PYTHON = join('proto', 'clients', 'python')
/** Where identity serves the packages from: `/clients`. Git ignores it, and the image has it. */
const SERVED = join(CLIENTS, 'dist')
const STAMP = join(SERVED, 'inputs')

/** Packs the TypeScript client, as npm does, into a folder. */
export async function packTypescript(folder: string): Promise<void> {
  const cwd = join(CLIENTS, 'typescript')
  const { code, output } = await run([BUN, 'pm', 'pack', '--quiet', '--destination', folder], { cwd })
  if (code !== 0) throw new CommandError(`The package could not be built:\n${tail(output)}`)
}

/** Whether the packages are here that pack the TypeScript client. A start for production leaves them out. */
export const canPack = (): boolean =>
  ['typescript', 'openapi-typescript'].every((name) => existsSync(join(ROOT, 'node_modules', name)))

/** Builds the packages that the marketplace serves, unless they are up to date, and returns their paths. */
export async function buildServedClients(progress: (line: string) => void): Promise<string[]> {
  const inputs = await fingerprint()
  const stamp = Bun.file(STAMP)
  if (!(await stamp.exists()) || (await stamp.text()) !== inputs) {
    const staging = await mkdtemp(join(tmpdir(), 'clients-'))
    try {
      progress('Building the clients')
      await packTypescript(staging)
      for (const name of await readdir(staging))
        await rename(join(staging, name), join(staging, name.replace('marketplace-client-', 'marketplace-')))
      if (await hasPip()) await buildWheel(staging)
      else progress('The Python client is not built: install Python 3.11 with pip.')
      await rm(SERVED, { recursive: true, force: true })
      await mkdir(SERVED, { recursive: true })
      for (const name of await readdir(staging)) await cp(join(staging, name), join(SERVED, name))
      await Bun.write(STAMP, inputs)
    } finally {
      await rm(staging, { recursive: true, force: true })
    }
  }
  return (await readdir(SERVED)).filter((name) => /\.(tgz|whl)$/.test(name)).map((name) => join(SERVED, name))
}

/** Builds the wheel in a copy, because the build writes the generated code beside its sources. */
async function buildWheel(target: string): Promise<void> {
  const copy = await mkdtemp(join(tmpdir(), 'wheel-'))
  try {
    for (const path of ['LICENSE', join('proto', 'openapi', 'marketplace.json'), PYTHON])
      await cp(join(ROOT, path), join(copy, path), { recursive: true })
    const { code, output } = await run(
      ['python3', '-m', 'pip', 'wheel', '--no-input', '--no-deps', '--quiet', '-w', target, join(copy, PYTHON)],
      { env: { ...process.env, PIP_CONSTRAINT: join(copy, PYTHON, 'requirements-dev.txt') } },
    )
    if (code !== 0) throw new CommandError(`The Python client could not be built:\n${tail(output)}`)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** A hash of what the packages are made of. */
async function fingerprint(): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  const patterns = ['openapi/marketplace.json', 'clients/{typescript,python}/**/*.{ts,py,json,md,toml,txt,jinja}']
  const files = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: join(ROOT, 'proto') })])
  for (const file of files.filter((path) => !/generated|\/dist\/|node_modules/.test(path)).sort())
    hash.update(file).update(await Bun.file(join(ROOT, 'proto', file)).bytes())
  return hash.digest('hex')
}
