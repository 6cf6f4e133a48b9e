import type { Lifecycle } from '../../toolchain/command.ts'
import { makeTemplate, type Servers, startServers } from './servers.ts'
import { add, NOTHING, type Tally } from './tally.ts'
import { runTests } from './tests.ts'

/** Starts the servers of the tests and runs them. `more` adds variables, such as the address of another server. */
export async function testWithServers(
  files: string[],
  lifecycle: Lifecycle,
  print: (text: string) => void,
  more: (servers: Servers) => Promise<Record<string, string>> = async () => ({}),
): Promise<Tally> {
  const servers = await startServers(files, lifecycle)
  // These variables of the caller's shell refer to other servers than those of the tests.
  const { DATABASE_URL: _database, DATABASE_DIRECT_URL: _direct, NATS_URL: _nats, ...inherited } = process.env
  const env = {
    ...inherited,
    TEST_DATABASE_URL: servers.databaseUrl,
    TEST_NATS_SERVER: servers.natsServer,
    TEST_S3_SERVER: servers.s3Server,
    TEST_PYTHON_PACKAGES: servers.pythonPackages,
    TEST_BROWSER: servers.browser,
    TEST_FOLDER: servers.folder,
    BUN_CONFIG_MAX_HTTP_REQUESTS: '4096',
    ...(await more(servers)),
  }
  const template = await makeTemplate(env, lifecycle)
  const tests =
    files.length === 0
      ? NOTHING
      : await runTests({ files, env, folder: servers.folder, signal: lifecycle.signal, print })
  return [servers.tally, template, tests].reduce(add)
}
