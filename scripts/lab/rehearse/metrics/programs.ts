import { CommandError } from '../../../toolchain/command-error.ts'
import { run } from '../../../toolchain/run.ts'

const PROGRAMS = ['prometheus', 'promtool'] as const

/** The programs of Prometheus, as variables of the rehearsal. */
export async function findPrometheus(): Promise<Record<string, string>> {
  const found = PROGRAMS.map(async (name) => {
    const variable = name.toUpperCase()
    const program = process.env[variable] || name
    const { code } = await run([program, '--version'])
    if (code === 0) return [`TEST_${variable}`, program]
    throw new CommandError(
      `This rehearsal needs ${name} on the PATH or in ${variable}: install Prometheus, such as the package prometheus of Debian.`,
    )
  })
  return Object.fromEntries(await Promise.all(found))
}
