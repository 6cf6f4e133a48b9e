import { BUN, ROOT } from '../toolchain/checkout.ts'
import { run, tail } from '../toolchain/run.ts'

/** Advisories that do not concern the product, each with the reason. */
const IGNORED: readonly string[] = []

interface Advisory {
  url: string
  title: string
  severity: string
  vulnerable_versions: string
}

/**
 * Asks the registry for advisories on the packages of the lockfile. Without an answer nothing can be said, so it
 * passes.
 */
const ignored = IGNORED.map((advisory) => `--ignore=${advisory}`)
const { output } = await run([BUN, 'audit', '--json', '--audit-level=moderate', ...ignored], {
  cwd: process.argv[2] ?? ROOT,
  timeoutMs: 60_000,
})
const found = parse(output)
if (found) {
  for (const [name, advisories] of Object.entries(found)) {
    for (const { severity, title, vulnerable_versions, url } of advisories) {
      console.error(`${name} ${vulnerable_versions}: ${severity}: ${title} (${url})`)
    }
  }
} else {
  console.log(`Not checked, because the registry does not answer: ${tail(output, 1)}`)
}
process.exit(found && Object.keys(found).length > 0 ? 1 : 0)

function parse(text: string): Record<string, Advisory[]> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
