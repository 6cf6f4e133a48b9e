import { join, resolve } from 'node:path'
import { BUN, ROOT } from '../toolchain/checkout.ts'
import { run } from '../toolchain/run.ts'

/** Licences of packages that an Apache-2.0 product may ship. */
const PRODUCTION_LICENCES = [
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0'],
  ...['ISC', 'MIT', 'MIT-0', 'PostgreSQL', 'Unicode-3.0', 'Unlicense', 'Zlib'],
]
/** Licences of packages that only builds and tests use. */
const DEVELOPMENT_LICENCES = [...PRODUCTION_LICENCES, 'CC-BY-3.0', 'CC-BY-4.0', 'MPL-2.0', 'Python-2.0']

const CHECKER = join(ROOT, 'node_modules/license-checker-rseidelsohn/bin/license-checker-rseidelsohn.js')

/** Packages whose SPDX expression the allowed licences do not satisfy; `--onlyAllow` would compare substrings. */
async function findForbidden(folder: string, kind: 'production' | 'development', allowed: string[]): Promise<string[]> {
  const options = [`--${kind}`, '--json', '--excludePrivatePackages', '--excludeLicenses', allowed.join(',')]
  const { code, output } = await run([BUN, CHECKER, ...options], { cwd: folder })
  if (code !== 0) throw new Error(output)
  const found: Record<string, { licenses: string }> = JSON.parse(output)
  return Object.entries(found).map(([name, { licenses }]) => `${kind}: ${name}: ${licenses} is not allowed`)
}

const folder = resolve(process.argv[2] ?? ROOT)
const forbidden = await Promise.all([
  findForbidden(folder, 'production', PRODUCTION_LICENCES),
  findForbidden(folder, 'development', DEVELOPMENT_LICENCES),
])
for (const line of forbidden.flat()) console.error(line)
process.exit(forbidden.flat().length === 0 ? 0 : 1)
