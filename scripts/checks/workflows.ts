import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../toolchain/checkout.ts'
import { explain } from '../toolchain/command-error.ts'
import { installActionlint } from '../toolchain/lint-tools.ts'
import { run } from '../toolchain/run.ts'
import { unpinnedActions } from './pinned-actions.ts'

const FOLDER = join(ROOT, '.github', 'workflows')

try {
  const files = (await readdir(FOLDER)).map((file) => join(FOLDER, file))
  const { code, output } = await run([await installActionlint({ progress: console.log }), ...files])
  if (code !== 0) console.log(output)
  const texts = await Promise.all(files.map((file) => Bun.file(file).text()))
  const unpinned = texts.flatMap(unpinnedActions)
  for (const use of unpinned) console.log(`${use}: name the hash of a commit, and its version in a comment.`)
  process.exit(code === 0 && unpinned.length === 0 ? 0 : 1)
} catch (error) {
  console.log(explain(error))
  process.exit(1)
}
