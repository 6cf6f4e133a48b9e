import { chmod, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ROOT } from '../../toolchain/checkout.ts'
import { LICENCES_FILE } from '../../toolchain/reference-packages.ts'
import { packagesOf, reachedModules } from './modules.ts'

/** Files that the product reads at run time beside its modules. */
const DATA = [
  'LICENSE',
  'tsconfig.json',
  'proto/guides/*.md',
  'CHANGELOG.md',
  'proto/clients/dist/*.{tgz,whl}',
  'services/*/migrations/*.sql',
  'services/catalog/data/*.csv',
  'services/site/pages/**/*.{html,css,js,svg}',
  'services/site/console/app/tsconfig.json',
  'services/site/console/app/styles/*.css',
  LICENCES_FILE,
  'node_modules/.api-reference/package.json',
  'node_modules/.api-reference/standalone.esm.js',
  'node_modules/.api-reference/chunks/*.js',
]

/** How the packages are resolved, and what their licences require. */
const OF_PACKAGE = '{package.json,[lL][iI][cC][eE][nN][cCsS][eE]*,NOTICE*}'

/** The files of the application in the image. Their paths are those of the checkout. */
async function applicationFiles(): Promise<string[]> {
  const modules = await reachedModules()
  const patterns = [...DATA, ...packagesOf(modules).map((folder) => `${folder}/${OF_PACKAGE}`)]
  const data = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })])
  return [...new Set([...modules, ...data])].sort()
}

/** Copies the application to a folder. */
export async function copyApplication(folder: string): Promise<void> {
  for (const path of await applicationFiles()) await copyFile(join(ROOT, path), join(folder, path))
}

/** Copies a file with a mode that does not depend on the source. */
export async function copyFile(source: string, target: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o755 })
  await Bun.write(target, Bun.file(source))
  await chmod(target, mode)
}
