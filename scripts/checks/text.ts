import { join } from 'node:path'
import { Glob } from 'bun'
import { ROOT } from '../toolchain/checkout.ts'

/** A violation of a rule that neither Biome nor dependency-cruiser expresses. */
interface TextViolation {
  path: string
  line: number
  rule: string
}

/** Names that do not describe the content. */
const VAGUE_NAME = /^(utils?|common|helpers?|managers?|misc)$/i
/** A comment of SQL, or of TypeScript on a line of its own. */
const COMMENT = /--[^\n]*|^\s*(?:\/\/|\/?\*)[^\n]*/gm

export function checkText(path: string, text: string): TextViolation[] {
  const vague = path.split('/').find((part) => part.split(/[.\-_]/).some((word) => VAGUE_NAME.test(word)))
  const names = vague ? [{ path, line: 1, rule: `${vague} is not a name of the domain` }] : []
  const code = text.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' '))
  const selects = [...code.matchAll(/\bselect\s+(?:\w+\.)?\*/gi)].map(({ index }) => ({
    path,
    line: code.slice(0, index).split('\n').length,
    rule: 'a select lists its columns',
  }))
  return [...names, ...selects]
}

if (import.meta.main) {
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
}
