/** How many checks and tests passed and failed. */
export interface Tally {
  passed: number
  failed: number
  skipped: number
}

export const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0 }

export const add = (a: Tally, b: Tally): Tally => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
})

/**
 * Counts the results of `bun test` in its JUnit report. A file without results (it failed to load, has no test, or its
 * process died) is a failure, as is a bad exit code without a failed test.
 */
export function tallyOf(report: string, files: string[], exitCode: number): Tally & { withoutResults: string[] } {
  const suites = [...report.matchAll(/^ {2}<testsuite (?<attributes>[^>]*)>/gm)].map((match) =>
    attributesOf(match.groups?.attributes ?? ''),
  )
  const number = (name: string) => suites.reduce((sum, suite) => sum + Number(suite[name] ?? 0), 0)
  const reported = new Set(suites.map(({ file }) => file))
  const withoutResults = files.filter((file) => !reported.has(file))
  const failed = number('failures') + withoutResults.length
  const skipped = number('skipped')
  const passed = number('tests') - number('failures') - skipped
  return { passed, skipped, withoutResults, failed: failed === 0 && exitCode !== 0 ? 1 : failed }
}

function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]))
}
