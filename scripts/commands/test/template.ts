import { buildTemplate } from '../../../services/testing/database.ts'
import { commandLine, runCommandLine } from '../../toolchain/command-line.ts'
import { importDefaults } from '../operator/catalog.ts'

/** The template of every test database: migrated, with the shipped catalogs. */
const template = async () => importDefaults(await buildTemplate())

await runCommandLine(
  commandLine(
    'bun scripts/commands/test/template.ts',
    'Makes the template of the test databases; ./scripts/test runs it.',
  ).action(template),
)
