import { CommandError } from '../../toolchain/command-error.ts'
import { commandLine, runCommandLine } from '../../toolchain/command-line.ts'
import { exportTo, importDefaults, importFiles } from './catalog.ts'
import { discardDeadLetter, listAllDeadLetters, showDeadLetter } from './dead-letters.ts'
import { operatorEnvironment } from './environment.ts'
import { reencryptKeys, revokeKey, rotateKey } from './keys.ts'
import { bootstrap, resetPasskeys, resetPassword, restoreAdministrator } from './people.ts'
import { listen } from './webhooks.ts'

const ENVIRONMENT = `
Environment:
  DATABASE_URL                 the owner's URL of the database; unset: the marketplace that ./scripts/dev runs in
                               this checkout
  WEBHOOKS_OWNER_DATABASE_URL  that of webhooks, if they have a Postgres of their own
  ENCRYPTION_KEYS              the value that the services have
  PUBLIC_URL                   the value that the services have, for the links of bootstrap and reset-password
`

const program = commandLine('./scripts/operator', 'The commands for operators of a marketplace.')
program.addHelpText('after', ENVIRONMENT)

program
  .command('bootstrap')
  .description("creates the operator's organization and its first administrator, unless an operator exists")
  .requiredOption('--email <address>', 'e-mail address of the administrator')
  .requiredOption('--given-name <name>', 'given name of the administrator')
  .requiredOption('--family-name <name>', 'family name of the administrator')
  .requiredOption('--organization <name>', 'name of the organization')
  .requiredOption('--region <code>', 'country of the organization, an ISO 3166-1 alpha-2 code')
  .option('--without-link', 'prints no link for a password, for a Job whose log is kept; `reset-password` makes one')
  .option('--if-none', 'succeeds without a change if an operator exists, for a Job that is repeated')
  .action(bootstrap)

/** A command on a user, recorded in the audit log as an impersonation of that user. */
const commandOnUser = (name: string, description: string) =>
  program
    .command(name)
    .description(description)
    .argument('<address>', 'e-mail address of the user')
    .requiredOption('--as <address>', 'your e-mail address, for the audit log')
    .requiredOption('--reason <text>', 'the reason, for the audit log')

commandOnUser(
  'reset-password',
  'ends the password and all sessions of a user, and prints a link for a new password',
).action(resetPassword)
commandOnUser('reset-passkeys', 'removes the passkeys of a user who lost them, and ends all sessions').action(
  resetPasskeys,
)
commandOnUser(
  'restore-administrator',
  'makes a user Administrator of an organization without an effective administrator',
).action(restoreAdministrator)

const keys = program.command('keys').helpCommand(false).description('the keys of tokens and of stored secrets')
keys.command('rotate').description('publishes a new signing key, which signs ten minutes later').action(rotateKey)
keys
  .command('revoke')
  .description('ends a stolen signing key and every token that it signed, within a second')
  .argument('<kid>', 'id of the key, as in /.well-known/jwks.json')
  .action(revokeKey)
keys
  .command('reencrypt')
  .description('encrypts every stored secret with the first of ENCRYPTION_KEYS')
  .action(reencryptKeys)

const catalog = program.command('catalog').helpCommand(false).description('the reference catalogs')
catalog
  .command('import')
  .description('loads catalogs from CSV files, all of them or none')
  .argument('[catalog-and-file...]', 'a catalog and its file, or several pairs')
  .option('--defaults', 'loads the shipped file into every catalog that was not loaded from another file')
  .action(async (words: string[], { defaults = false }: { defaults?: boolean }) => {
    if (defaults && words.length > 0) throw new CommandError('--defaults takes no catalog and no file.')
    return defaults ? importDefaults((await operatorEnvironment()).databaseUrl) : importFiles(words)
  })
catalog
  .command('export')
  .description('writes a catalog to a CSV file or to standard output')
  .argument('<catalog>', 'the catalog')
  .argument('[file]', 'the file')
  .action(exportTo)

const deadLetters = program
  .command('dead-letters')
  .helpCommand(false)
  .description('events that consumers have given up')
deadLetters
  .command('list')
  .description('one line for each: consumer, id, event, time and error')
  .action(listAllDeadLetters)
const consumer = ['<service/consumer>', 'as listed, such as webhooks/ingest'] as const
const eventId = ['<id>', 'id of the event'] as const
deadLetters
  .command('show')
  .description('one of them with its content')
  .argument(...consumer)
  .argument(...eventId)
  .action(showDeadLetter)
deadLetters
  .command('discard')
  .description('deletes one of them, which is then never processed; `republish --dead-letters` processes them again')
  .argument(...consumer)
  .argument(...eventId)
  .action(discardDeadLetter)

const webhooks = program.command('webhooks').helpCommand(false).description('the events of webhook endpoints')
webhooks
  .command('listen')
  .description(
    'receives the events of an organization on this machine, verifies and prints them; its endpoint is deleted at the end',
  )
  .requiredOption('--email <address>', 'account with the permission webhook:manage; default: $EMAIL', process.env.EMAIL)
  .option('--url <address>', 'address of the marketplace; default: $BASE, or that of ./scripts/dev')
  .option('--events <type...>', 'events to receive', ['cases.*', 'assignments.*'])
  .option('--endpoint <id>', 'receives what this endpoint subscribes to, instead of --events')
  .option('--port <port>', 'port of this machine, 0 for a free one', '4400')
  .option('--public-url <address>', 'address at which the marketplace reaches the port, such as that of a tunnel')
  .option('--forward-to <address>', 'sends each verified delivery on to this address, and answers what it answers')
  .addHelpText('after', '\nThe password is read from $PASSWORD, or from the demo accounts of ./scripts/dev.')
  .action(listen)

await runCommandLine(program)
