import { join } from 'node:path'
import { artifactHubChanges, releaseNotes } from './changelog.ts'

/**
 * Prints what changed with a version, from its section of CHANGELOG.md, which has a date; with `--artifact-hub` as the
 * annotation to append to Chart.yaml. It imports no packages, because a release runs it before their installation.
 */
const words = process.argv.slice(2)
const [version = ''] = words.filter((word) => !word.startsWith('--'))
const notes = releaseNotes(await Bun.file(join(import.meta.dir, '..', '..', '..', 'CHANGELOG.md')).text(), version)
if (notes === undefined) {
  console.error(`CHANGELOG.md has no section of version ${version} with a date.`)
  process.exit(1)
}
console.log(words.includes('--artifact-hub') ? artifactHubChanges(notes) : notes)
