import { testWithServers } from '../../commands/test/with-servers.ts'
import { type Lifecycle, runCommand } from '../../toolchain/command.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { installPackages } from '../../toolchain/packages.ts'
import { rehearseCluster } from './cluster/rehearsal.ts'
import { findPrometheus } from './metrics/programs.ts'
import { type Pooler, startPooler } from './pooler.ts'

interface Rehearsal {
  what: string
  tests: readonly string[]
  pooled?: boolean
  /** Finds programs of the machine, as variables of the tests. */
  needs?: () => Promise<Record<string, string>>
  /** Plays it without tests and their servers. */
  play?: (lifecycle: Lifecycle) => Promise<number>
}

const REHEARSALS: Readonly<Record<string, Rehearsal>> = {
  update: { what: 'a rolling update under load', tests: ['services/end-to-end/rolling-update.lab.test.ts'] },
  migration: {
    what: 'two releases side by side under load',
    tests: ['services/end-to-end/expand-and-contract.lab.test.ts', 'services/kit/migrate/migrate.slow.test.ts'],
  },
  rotation: {
    what: 'new signing keys, encryption keys and passwords under load',
    tests: ['scripts/commands/operator/rotation.lab.test.ts'],
  },
  restore: {
    what: 'backup, loss of every server, and restore',
    tests: ['scripts/lab/rehearse/restore.lab.test.ts'],
  },
  failover: {
    what: 'a standby that becomes the primary under load',
    tests: ['scripts/lab/rehearse/failover.lab.test.ts'],
  },
  replica: {
    what: 'a replica for reads that lags, freezes, is killed and promoted under load',
    tests: ['scripts/lab/rehearse/replica.lab.test.ts'],
  },
  pooler: {
    what: 'the journey, revocation, relay and LISTEN behind PgBouncer in transaction mode',
    tests: [
      'scripts/commands/demo/demo.slow.test.ts',
      'services/identity/keys/revocation.test.ts',
      'services/end-to-end/processes.slow.test.ts',
      'services/end-to-end/propagation.slow.test.ts',
      'services/kit/bus/postgres.slow.test.ts',
      'services/kit/bus/postgres/driver.test.ts',
    ],
    pooled: true,
  },
  metrics: {
    what: 'every panel of the dashboard and every alert on a real Prometheus',
    tests: ['scripts/lab/rehearse/metrics/rehearsal.ts'],
    needs: findPrometheus,
  },
  cluster: {
    what: 'the chart on the cluster of kubectl under load',
    tests: [],
    play: rehearseCluster,
  },
}

const USAGE = `Usage: bun run rehearse <name>

Rehearses an operation with real processes, on servers of its own.

${Object.entries(REHEARSALS)
  .map(([name, { what }]) => `  ${name.padEnd(10)} ${what}`)
  .join('\n')}
`

await runCommand(async (lifecycle) => {
  const [name = '', ...surplus] = process.argv.slice(2)
  if (name === '--help') {
    console.log(USAGE)
    return 0
  }
  const rehearsal = Object.hasOwn(REHEARSALS, name) ? REHEARSALS[name] : undefined
  if (!rehearsal || surplus.length > 0) throw new CommandError(USAGE)
  await installPackages(console.log)
  return rehearsal.play?.(lifecycle) ?? rehearse(rehearsal, lifecycle)
})

async function rehearse({ tests, pooled = false, needs }: Rehearsal, lifecycle: Lifecycle): Promise<number> {
  const programs = (await needs?.()) ?? {}
  let pooler: Pooler | undefined
  const { passed, failed } = await testWithServers(
    [...tests],
    lifecycle,
    console.log,
    async ({ databaseUrl, folder }) => {
      if (!pooled) return programs
      pooler = await startPooler(databaseUrl, folder, lifecycle)
      return { TEST_POOLER: pooler.address }
    },
  )
  if (pooler) console.log(`${await pooler.transactions()} transactions went through PgBouncer`)
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}
