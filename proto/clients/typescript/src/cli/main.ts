#!/usr/bin/env node
import { Command, InvalidArgumentError } from 'commander'
import { isAddress } from '../transport.ts'
import { VERSION } from '../user-agent.ts'
import { candidates, completionOf } from './completion.ts'
import { readDocument } from './document.ts'
import { EXIT, explain } from './failure.ts'
import { withDottedFlags } from './fields.ts'
import { addOperations } from './operations.ts'
import { addressOf, lastingSession, login, logout, sessionOf } from './session.ts'
import { printable } from './terminal.ts'
import { upload } from './upload.ts'
import { listen } from './webhooks.ts'

const HELP = `
Environment:
  MARKETPLACE_URL            address of the marketplace; unset: that of the last \`marketplace login\`
  MARKETPLACE_CLIENT_ID      with MARKETPLACE_CLIENT_SECRET: the key of a service account
  MARKETPLACE_TOKEN          an access token
  MARKETPLACE_PASSWORD       the password of \`marketplace login\`, which is asked for otherwise

Exit codes: 1 refused by the marketplace, 2 wrong command line, 3 not signed in, 4 not reachable.
`
const program = new Command('marketplace')
  .description(
    'The command line of the Sourcing and Manufacturing Marketplace: every operation of the API is a command.',
  )
  .version(VERSION)
  .addHelpText('after', HELP)
  .showHelpAfterError('Run it with --help for the usage.')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT.usage))
const session = () => sessionOf(process.env)

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('It is no port.')
  return Number(text)
}

function address(text: string): string {
  if (!isAddress(text)) throw new InvalidArgumentError('It is no address such as http://localhost:3000/webhooks.')
  return text
}

// The reader of a pipe, such as `head`, may end before the output does.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code }: Error & { code?: string }) => process.exit(code === 'EPIPE' ? 0 : EXIT.refused))

program
  .command('login')
  .description('signs you in, and keeps a refresh token that only you can read')
  .option('--url <address>', 'address of the marketplace')
  .option('--email <address>', 'your e-mail address')
  .action(async (options) => void process.stderr.write(`${await login(options, process.env)}\n`))
program
  .command('logout')
  .description('ends the session of `login`')
  .action(() => logout(process.env))
program
  .command('upload')
  .description('uploads a file, and adds it to a part')
  .argument('<file>', 'path of the file')
  .option('--name <name>', 'name of the file in the marketplace')
  .option('--part <id>', 'part to whose files it is added')
  .option('--group <group>', 'group of the files', 'document')
  .option('--public', 'makes the file readable without a sign-in')
  .action(async (file, options) => upload(await session(), file, options))
program
  .command('webhooks')
  .description('events on this machine')
  .helpCommand(false)
  .command('listen')
  .description('prints each event, through an endpoint that exists as long as the command runs')
  .option('--events <types...>', 'subscribed events', ['cases.*', 'assignments.*'])
  .option('--port <number>', 'port on this machine', portNumber, 4400)
  .option(
    '--public-url <address>',
    'address by which the marketplace reaches the port, such as that of a tunnel',
    address,
  )
  .option('--forward-to <address>', 'address to which each delivery is sent on', address)
  .action(async (options) => listen(await session(), options))
program
  .command('mcp')
  .description('serves the operations to an AI agent over standard input and output (Model Context Protocol)')
  .option('--allow-writes', 'lets the agent call operations that change something', false)
  .action(async ({ allowWrites }) => {
    // Only this command needs the libraries of the protocol.
    const { serveAgents } = await import('./mcp.ts')
    const document = await readDocument(await addressOf(process.env), process.env, { isHelp: false })
    await serveAgents(document, lastingSession(process.env), { allowWrites })
  })
program
  .command('completion')
  .description('prints the script that completes commands in bash, zsh or fish')
  .argument('<shell>', 'bash, zsh or fish')
  .action((shell) => void process.stdout.write(completionOf(shell)))
program
  .command('complete', { hidden: true })
  .argument('[words...]')
  .action(
    (words: string[]) =>
      void process.stdout.write(
        candidates(program, words)
          .map((word) => `${word}\n`)
          .join(''),
      ),
  )

/** These commands work without a marketplace. */
const LOCAL = ['login', 'logout', 'upload', 'webhooks', 'mcp', 'completion']

try {
  const words = process.argv.slice(2)
  const [first = ''] = words
  const isHelp = ['', 'help', 'complete'].includes(first) || words.some((word) => ['--help', '-h'].includes(word))
  // An option before the command is no operation's, except that the help lists them all.
  if (!LOCAL.includes(first) && (isHelp || !first.startsWith('-'))) {
    // The help and the completion of a first start have only the commands above, and say how to get the others.
    const document = await addressOf(process.env)
      .then((url) => readDocument(url, process.env, { isHelp }))
      .catch((error) => {
        if (!isHelp) throw error
        program.addHelpText('after', `The operations are missing here: ${printable(explain(error).text)}`)
        return undefined
      })
    if (document) addOperations(program, document, session)
  }
  const { options = [] } = program.commands.find((command) => command.name() === first) ?? {}
  await program.parseAsync(withDottedFlags(words, options), { from: 'user' })
} catch (error) {
  const { exitCode, text } = explain(error)
  process.stderr.write(`${printable(text)}\n`)
  process.exitCode = exitCode
}
