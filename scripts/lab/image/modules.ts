import { createRequire, isBuiltin } from 'node:module'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { bundledFiles } from '../../../services/site/console/bundle.ts'
import { ROOT } from '../../toolchain/checkout.ts'

const ENTRY_POINT = 'scripts/commands/marketplace/main.ts'

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/

/**
 * The modules that the entry point reaches, found with the resolver of the running Bun, and those of the console. Paths
 * are relative to the checkout.
 */
export async function reachedModules(): Promise<string[]> {
  const modules = [join(ROOT, ENTRY_POINT)]
  const known = new Set(modules)
  for (const module of modules) {
    for (const imported of await importsOf(module)) {
      if (known.has(imported)) continue
      known.add(imported)
      modules.push(imported)
    }
  }
  // The console is bundled when it is first requested.
  for (const path of await bundledFiles()) known.add(resolve(path))
  return [...known].map(relativePath).sort()
}

function relativePath(module: string): string {
  if (!module.startsWith(`${ROOT}/`)) throw new Error(`A module outside of the checkout: ${module}`)
  return relative(ROOT, module)
}

/** The folders of the packages that the modules belong to. */
export const packagesOf = (modules: readonly string[]): string[] =>
  [...new Set(modules.flatMap((module) => PACKAGE.exec(module)?.[0] ?? []))].sort()

async function importsOf(module: string): Promise<string[]> {
  const extension = extname(module)
  if (extension === '.json') return []
  const transpiler = new Bun.Transpiler({ loader: extension === '.ts' ? 'ts' : 'js' })
  const found = transpiler
    .scanImports(await Bun.file(module).text())
    .map(({ path, kind }) => resolveFrom(module, path, kind.startsWith('require')))
  return found.filter((path) => !isBuiltin(path))
}

function resolveFrom(module: string, path: string, isRequire: boolean): string {
  if (isBuiltin(path)) return path
  return isRequire ? createRequire(module).resolve(path) : Bun.resolveSync(path, dirname(module))
}
