/** How many checks and tests passed and failed. */
export interface Tally {
  passed: number
  failed: number
  skipped: number
  /** What failed and why, for the end of the output. */
  failures: readonly string[]
}

export const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0, failures: [] }

export const passedOnce: Tally = { ...NOTHING, passed: 1 }
export const failedOnce = (failure: string): Tally => ({ ...NOTHING, failed: 1, failures: [failure] })

export const add = (a: Tally, b: Tally): Tally => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  failures: [...a.failures, ...b.failures],
})

/**
 * Counts the results of `bun test` in its JUnit report. A file without results (it failed to load, has no test, or its
 * process died) is a failure, as is a bad exit code without a failed test.
 */
export function tallyOf(report: string, files: string[], exitCode: number): Tally {
  const suites = [...report.matchAll(/^ {2}<testsuite (?<attributes>[^>]*)>/gm)].map((match) =>
    attributesOf(match.groups?.attributes ?? ''),
  )
  const number = (name: string) => suites.reduce((sum, suite) => sum + Number(suite[name] ?? 0), 0)
  const reported = new Set(suites.map(({ file }) => file))
  const withoutResults = files.filter((file) => !reported.has(file))
  const failed = number('failures') + withoutResults.length
  const skipped = number('skipped')
  const passed = number('tests') - number('failures') - skipped
  const failures = [...failedTests(report), ...withoutResults.map((file) => `${file} reported no test`)]
  if (failed > 0 || exitCode === 0) return { passed, failed, skipped, failures }
  return { passed, failed: 1, skipped, failures: [`a test process ended with ${exitCode}`] }
}

/** Each failed test: file, line and name, with the message indented below. */
function failedTests(report: string): string[] {
  const failed = report.matchAll(/<testcase (?<test>[^>]*)>\s*<failure (?<failure>[^>]*?)(\/>|>(?<text>[^<]*)<)/g)
  return [...failed].map(({ groups = {} }) => {
    const { test = '', failure = '', text } = groups as Record<string, string | undefined>
    const { file, line, name } = attributesOf(test)
    const message = (text ? plain(text) : (attributesOf(failure).message ?? '')).split('\n').filter(Boolean)
    return [`${[file, line].filter(Boolean).join(':')} ${name}`, ...message.map((one) => `    ${one}`)].join('\n')
  })
}

const attributesOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, plain(value)]))

const CHARACTERS: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&', '#10': '\n' }

const plain = (xml: string) => xml.replaceAll(/&([a-z]+|#10);/g, (entity, name: string) => CHARACTERS[name] ?? entity)
