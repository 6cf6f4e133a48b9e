import { BUN, ROOT } from '../toolchain/checkout.ts'
import { REFERENCE_MANIFEST } from '../toolchain/reference-packages.ts'
import { run, tail } from '../toolchain/run.ts'

/** Advisories that do not concern the product, each with the reason. */
const IGNORED: readonly string[] = []

interface Advisory {
  url: string
  title: string
  severity: string
  vulnerable_versions: string
}

const ignored = IGNORED.map((advisory) => `--ignore=${advisory}`)

/** Asks the registry for advisories on the packages of the lockfile of a folder. */
async function askRegistry(folder: string) {
  const { output } = await run([BUN, 'audit', '--json', '--audit-level=moderate', ...ignored], {
    cwd: folder,
    timeoutMs: 60_000,
  })
  return { found: parse(output), output }
}

const folders = process.argv[2] === undefined ? [ROOT, REFERENCE_MANIFEST] : [process.argv[2]]
const answers = await Promise.all(folders.map(askRegistry))
const advisories = answers.flatMap(({ found = {} }) => Object.entries(found))
for (const [name, entries] of advisories) {
  for (const { severity, title, vulnerable_versions, url } of entries) {
    console.error(`${name} ${vulnerable_versions}: ${severity}: ${title} (${url})`)
  }
}
// Without an answer nothing can be said, so the check passes.
const unanswered = answers.find(({ found }) => !found)
if (unanswered) console.log(`Not checked, because the registry does not answer: ${tail(unanswered.output, 1)}`)
process.exit(advisories.length > 0 ? 1 : 0)

function parse(text: string): Record<string, Advisory[]> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
