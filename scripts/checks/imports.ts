import { join } from 'node:path'
import { Glob } from 'bun'
import { findViolations } from './rooms.ts'

const ROOT = join(import.meta.dir, '..', '..')

const paths: string[] = []
for (const folder of ['services', 'proto', 'scripts', 'charts']) {
  // A folder that does not exist yet has nothing to check.
  const found = new Glob(`${folder}/**/*`).scan({ cwd: ROOT, onlyFiles: true })
  for await (const path of found) if (!path.includes('node_modules/')) paths.push(path)
}
const files = await Promise.all(
  paths.sort().map(async (path) => ({
    path,
    text: /\.(ts|sql)$/.test(path) ? await Bun.file(join(ROOT, path)).text() : '',
  })),
)
const violations = findViolations(files)
for (const { path, line, rule } of violations) console.error(`${path}:${line}: ${rule}`)
if (violations.length === 0) console.log(`${files.length} files keep the rules.`)
process.exit(violations.length === 0 ? 0 : 1)
