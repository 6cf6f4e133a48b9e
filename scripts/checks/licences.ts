import { join, resolve } from 'node:path'
import parseExpression from 'spdx-expression-parse'
import { BUN, ROOT } from '../toolchain/checkout.ts'
import { LICENCES_FILE, listedPackages } from '../toolchain/reference-packages.ts'
import { outputOf } from '../toolchain/run.ts'

/** Licences of packages that an Apache-2.0 product may ship. */
const PRODUCTION_LICENCES = [
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0'],
  // OFL-1.1 is that of fonts.
  ...['ISC', 'MIT', 'MIT-0', 'OFL-1.1', 'PostgreSQL', 'Unicode-3.0', 'Unlicense', 'Zlib'],
]
/** Licences of packages that only builds and tests use. */
const DEVELOPMENT_LICENCES = [...PRODUCTION_LICENCES, 'CC-BY-3.0', 'CC-BY-4.0', 'MPL-2.0', 'Python-2.0']

/** Packages under another licence, with the reason why the product may ship them. */
const EXCEPTIONS: Readonly<Record<string, { licence: string; reason: string }>> = {
  'occt-import-js': {
    licence: 'LGPL-2.1',
    reason: 'OpenCASCADE is a WebAssembly file of its own, unchanged, which an operator can replace by another build.',
  },
}

const CHECKER = join(ROOT, 'node_modules/license-checker-rseidelsohn/bin/license-checker-rseidelsohn.js')

/** Packages whose SPDX expression the allowed licences do not satisfy; `--onlyAllow` would compare substrings. */
async function findForbidden(folder: string, kind: 'production' | 'development', allowed: string[]): Promise<string[]> {
  const options = [`--${kind}`, '--json', '--excludePrivatePackages', '--excludeLicenses', allowed.join(',')]
  const output = await outputOf([BUN, CHECKER, ...options], { cwd: folder })
  const found: Record<string, { licenses: string }> = JSON.parse(output)
  return Object.entries(found)
    .filter(([name, { licenses }]) => EXCEPTIONS[name.slice(0, name.lastIndexOf('@'))]?.licence !== licenses)
    .map(([name, { licenses }]) => `${kind}: ${name}: ${licenses} is not allowed`)
}

/** Whether one of the choices of an expression has only allowed licences. */
const isAllowed = (expression: parseExpression.Info): boolean => {
  if ('conjunction' in expression) {
    const sides = [expression.left, expression.right].map(isAllowed)
    return expression.conjunction === 'or' ? sides.includes(true) : !sides.includes(false)
  }
  return expression.exception === undefined && PRODUCTION_LICENCES.includes(expression.license)
}

/** The packages that the browser modules of the API reference contain; they are not installed. */
async function findForbiddenInReference(folder: string): Promise<string[]> {
  const file = Bun.file(join(folder, LICENCES_FILE))
  const packages = (await file.exists()) ? listedPackages(await file.text()) : []
  return packages
    .filter(({ license }) => !isAllowed(parseExpression(license)))
    .map(({ name, version, license }) => `API reference: ${name}@${version}: ${license} is not allowed`)
}

const folder = resolve(process.argv[2] ?? ROOT)
const forbidden = await Promise.all([
  findForbidden(folder, 'production', PRODUCTION_LICENCES),
  findForbidden(folder, 'development', DEVELOPMENT_LICENCES),
  findForbiddenInReference(folder),
])
for (const line of forbidden.flat()) console.error(line)
process.exit(forbidden.flat().length === 0 ? 0 : 1)
