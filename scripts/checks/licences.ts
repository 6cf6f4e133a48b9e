import { join } from 'node:path'
import { dependenciesOf, findForbidden } from './packages.ts'

const ROOT = join(import.meta.dir, '..', '..')

/** What may be shipped with an Apache-2.0 product: licences that ask for nothing but to be named. */
const SHIPPED = [
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0'],
  ...['ISC', 'MIT', 'MIT-0', 'PostgreSQL', 'Unlicense', 'Zlib'],
]
/** What only builds and tests use may also ask for its own sources to be shared. */
const DEVELOPMENT = [...SHIPPED, 'CC-BY-3.0', 'CC-BY-4.0', 'MPL-2.0', 'Python-2.0']

const { dependencies = {}, devDependencies = {} } = await Bun.file(join(ROOT, 'package.json')).json()
const shipped = await dependenciesOf(ROOT, Object.keys(dependencies))
const development = await dependenciesOf(ROOT, Object.keys(devDependencies))

const forbidden = [
  ...findForbidden(shipped, SHIPPED).map((line) => `shipped: ${line}`),
  ...findForbidden(development, DEVELOPMENT).map((line) => `development: ${line}`),
]
for (const line of forbidden) console.error(line)
if (forbidden.length === 0) console.log(`${shipped.length} shipped and ${development.length} development packages.`)
process.exit(forbidden.length === 0 ? 0 : 1)
