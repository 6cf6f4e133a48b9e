import { join } from 'node:path'
import { BUN, CACHE, ROOT } from '../../toolchain/checkout.ts'
import { run } from '../../toolchain/run.ts'
import { add, failedOnce, NOTHING, passedOnce, type Tally } from './tally.ts'

interface Check {
  name: string
  command: string[]
  /** Omitted by --quick. */
  slow?: boolean
  /** Run only by --lab. */
  lab?: boolean
  /** Default: five minutes. */
  timeoutMs?: number
}

/** Several checkers of types would each check the types that they share. */
const ONE_CHECKER = ['--checkers', '1']

/** The checks that do not run the product. Bun runs the programs of packages, because Node may be missing. */
const CHECKS: readonly Check[] = [
  // First, because the types of the client are not committed.
  { name: 'types of the TypeScript client', command: ['scripts/commands/generate/main.ts', 'client-types'] },
  { name: 'format and lint', command: ['node_modules/@biomejs/biome/bin/biome', 'check', '.'] },
  {
    name: 'types',
    // Incremental: only files that depend on a change are checked again.
    command: [
      'node_modules/typescript/bin/tsc',
      '--noEmit',
      ...ONE_CHECKER,
      '--incremental',
      ...['--tsBuildInfoFile', join(CACHE, 'types.tsbuildinfo')],
    ],
  },
  {
    name: 'types of the console',
    command: [
      'node_modules/typescript/bin/tsc',
      '--noEmit',
      ...ONE_CHECKER,
      ...['--project', 'services/site/console/app'],
    ],
  },
  { name: 'architecture', command: ['scripts/checks/imports.ts'] },
  { name: 'names and columns', command: ['scripts/checks/text.ts'] },
  { name: 'migrations only expand', command: ['scripts/checks/migrations.ts'], slow: true },
  { name: 'licences', command: ['scripts/checks/licences.ts'] },
  { name: 'generated files', command: ['scripts/commands/generate/main.ts', '--check'] },
  { name: 'advisories', command: ['scripts/checks/advisories.ts'], slow: true },
  {
    name: 'OpenAPI and AsyncAPI lint',
    command: [
      'node_modules/@redocly/cli/bin/cli.js',
      'lint',
      '--extends=recommended',
      'proto/openapi/marketplace.json',
      'proto/asyncapi.json',
    ],
    slow: true,
  },
  { name: 'Helm chart', command: ['scripts/checks/chart.ts'], slow: true },
  // Their tools are built by Go, which takes minutes on a new machine.
  { name: 'workflows', command: ['scripts/lab/checks/workflows.ts'], lab: true, timeoutMs: 20 * 60_000 },
  { name: 'Helm chart, with built tools', command: ['scripts/lab/checks/chart.ts'], lab: true, timeoutMs: 45 * 60_000 },
]

/** The compiler is written in Go, whose garbage collector would take a fifth of its CPU. */
const ENV = { ...process.env, GOGC: '400' }

interface CheckRun {
  quick: boolean
  lab: boolean
  print: (text: string) => void
  signal: AbortSignal
}

/** Runs all checks; a failed one shows its output and does not stop the others. */
export async function runChecks({ quick, lab, print, signal }: CheckRun): Promise<Tally> {
  const checks = CHECKS.filter((check) => (lab || !check.lab) && (!quick || !check.slow))
  let tally = NOTHING
  for (const { name, command, timeoutMs = 5 * 60_000 } of checks) {
    const [program = '', ...words] = command
    const began = performance.now()
    const { code, output } = await run([BUN, join(ROOT, program), ...words], { env: ENV, signal, timeoutMs })
    signal.throwIfAborted()
    print(verdict(name, code === 0, performance.now() - began, output))
    tally = add(tally, code === 0 ? passedOnce : failedOnce(name))
  }
  return tally
}

/** One line for a check that passed, with what it could not check; the whole output for one that failed. */
export function verdict(name: string, passed: boolean, tookMs: number, output: string): string {
  const seconds = `${(tookMs / 1000).toFixed(1)} s`
  const note = passed ? /^Not checked.*$/m.exec(output) : null
  if (note) return `passed  ${name} (${seconds}): ${note[0]}`
  return passed ? `passed  ${name} (${seconds})` : `${output.trimEnd()}\nFAILED  ${name} (${seconds})`
}
