import { join } from 'node:path'
import { Glob } from 'bun'
import { ROOT } from '../toolchain/checkout.ts'
import { checkText } from './text-rules.ts'

let failed = false
for await (const path of new Glob('{services,proto,scripts,charts}/**/*').scan({ cwd: ROOT })) {
  if (path.includes('node_modules/')) continue
  const text = /\.(ts|sql)$/.test(path) ? await Bun.file(join(ROOT, path)).text() : ''
  for (const { line, rule } of checkText(path, text)) {
    console.error(`${path}:${line}: ${rule}`)
    failed = true
  }
}
process.exit(failed ? 1 : 0)
