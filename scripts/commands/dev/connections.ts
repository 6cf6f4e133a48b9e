import { connect } from 'node:net'
import { connect as connectToPostgres } from '../../../services/kit/db/client.ts'
import { OLDEST_POSTGRES } from '../../../services/kit/migrate/server.ts'
import { CommandError, reasonOf } from '../../toolchain/command-error.ts'

const TIMEOUT_SECONDS = 5

/** Refuses a database that does not answer or is too old, before the migration reports it as an error. */
export async function requireDatabase(url: string, variable = 'DATABASE_URL'): Promise<string> {
  const { host } = parse(variable, url, /^postgres(ql)?:$/, 'postgres://owner:password@host:5432/database')
  await requireListener(variable, 'Postgres', url, 5432)
  const sql = connectToPostgres(url, { max: 1, applicationName: 'marketplace-connect' })
  try {
    const [row] = await sql<{ version: string }[]>`select current_setting('server_version_num') as version`
    requireVersion(host, Number(row?.version), variable)
    return url
  } catch (error) {
    if (error instanceof CommandError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${variable}: Postgres on ${host} refuses the connection: ${reason}.`)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Takes `server_version_num`, such as 180004. */
export function requireVersion(host: string, number: number, variable = 'DATABASE_URL'): void {
  const major = Math.floor(number / 10_000)
  if (major >= OLDEST_POSTGRES) return
  throw new CommandError(`${variable}: Postgres on ${host} is version ${major}; ${OLDEST_POSTGRES} or newer is needed.`)
}

/** Refuses a NATS server that does not listen. */
export async function requireNats(url: string): Promise<void> {
  parse('NATS_URL', url, /^(nats|tls):$/, 'nats://host:4222')
  await requireListener('NATS_URL', 'NATS', url, 4222, { greets: true })
}

function parse(variable: string, text: string, protocol: RegExp, form: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !protocol.test(url.protocol) || url.hostname === '') {
    throw new CommandError(`${variable} is not a URL of the form ${form}.`)
  }
  return url
}

/** A server that greets sends the first bytes of a connection. */
async function requireListener(
  variable: string,
  server: string,
  url: string,
  defaultPort: number,
  { greets = false } = {},
): Promise<void> {
  const { hostname, port } = new URL(url)
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect(address)
  socket.on(greets ? 'data' : 'connect', () => resolve())
  socket.on('error', reject)
  socket.setTimeout(TIMEOUT_SECONDS * 1000, () => reject(new Error(`no answer within ${TIMEOUT_SECONDS} s`)))
  try {
    await promise
  } catch (error) {
    const place = `${server} on ${address.host}:${address.port}`
    throw new CommandError(`${variable}: ${place} does not answer: ${reasonOf(error as Error)}.`)
  } finally {
    socket.destroy()
  }
}
