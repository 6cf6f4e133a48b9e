import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { accessToken, type Credentials, refreshToken, serviceAccount } from '../credentials.ts'
import { ApiError } from '../errors.ts'
import { tokenFile } from '../token-file.ts'
import { createTransport, isAddress } from '../transport.ts'
import { CliError, EXIT } from './failure.ts'

type Environment = Readonly<Record<string, string | undefined>>
export type Transport = ReturnType<typeof createTransport>

/** A marketplace, and how the command line signs in. */
export interface Session {
  url: string
  send: Transport
}

const PROGRAM = 'marketplace-cli'

/** The folder of the refresh token, which only its owner can read. */
const folderOf = ({ XDG_STATE_HOME, HOME }: Environment) =>
  join(XDG_STATE_HOME || join(HOME || homedir(), '.local', 'state'), 'marketplace')
const addressFile = (environment: Environment) => join(folderOf(environment), 'url')
/** The file of a session is named after its address, so that no other address is sent its token. */
const sessionPath = (environment: Environment, url: string) =>
  join(folderOf(environment), `refresh-token-${createHash('sha256').update(url).digest('hex').slice(0, 32)}`)

/** The address of the environment, or else that of the last sign-in. */
export async function addressOf(environment: Environment): Promise<string> {
  const url =
    environment.MARKETPLACE_URL ?? (await readFile(addressFile(environment), 'utf8').catch(() => undefined))?.trim()
  if (url === undefined) throw new CliError('Sign in with `marketplace login`, or set MARKETPLACE_URL.', EXIT.signIn)
  return checked(url)
}

function checked(url: string): string {
  if (!isAddress(url)) throw new CliError(`${url} is no address such as https://market.example`)
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
}

/** The session of the environment: a service account or a token; or else that of `login`. */
export async function sessionOf(environment: Environment): Promise<Session> {
  const url = await addressOf(environment)
  return { url, send: createTransport({ url, credentials: credentialsOf(environment, url), program: PROGRAM }) }
}

/** One session, which keeps its token, for a process that runs long. The next `login` replaces it. */
export function lastingSession(environment: Environment): () => Promise<Session> {
  let kept: { signedInAtMs: number | undefined; session: Promise<Session> } | undefined
  return async () => {
    // Each sign-in writes this file; a token that is replaced does not.
    const signedInAtMs = (await stat(addressFile(environment)).catch(() => undefined))?.mtimeMs
    if (!kept || kept.signedInAtMs !== signedInAtMs) kept = { signedInAtMs, session: sessionOf(environment) }
    return kept.session
  }
}

function credentialsOf(environment: Environment, url: string): Credentials {
  const { MARKETPLACE_TOKEN, MARKETPLACE_CLIENT_ID, MARKETPLACE_CLIENT_SECRET } = environment
  if (MARKETPLACE_TOKEN) return accessToken(MARKETPLACE_TOKEN)
  if (MARKETPLACE_CLIENT_ID && MARKETPLACE_CLIENT_SECRET) {
    return serviceAccount({ clientId: MARKETPLACE_CLIENT_ID, clientSecret: MARKETPLACE_CLIENT_SECRET })
  }
  if (MARKETPLACE_CLIENT_ID || MARKETPLACE_CLIENT_SECRET) {
    throw new CliError('MARKETPLACE_CLIENT_ID and MARKETPLACE_CLIENT_SECRET are set together.')
  }
  const fromFile = refreshToken(tokenFile(sessionPath(environment, url)))
  return (ask, previous) =>
    fromFile(ask, previous).catch((error) => {
      if ((error as { code?: string }).code !== 'ENOENT') throw error
      throw new CliError(`You are not signed in at ${url}: run \`marketplace login --url ${url}\`.`, EXIT.signIn)
    })
}

interface LoginOptions {
  url?: string
  email?: string
}

/** Signs a person in, and keeps only the refresh token. */
export async function login({ url: given, email: address }: LoginOptions, environment: Environment): Promise<string> {
  const url = given === undefined ? await addressOf(environment).catch(() => undefined) : checked(given)
  if (url === undefined) throw new CliError('Name the marketplace: `marketplace login --url https://…`')
  const email = address ?? (await ask('E-mail address: '))
  const password = environment.MARKETPLACE_PASSWORD ?? (await ask('Password: ', true))
  const body = new URLSearchParams({ grant_type: 'password', username: email, password })
  const send = createTransport({ url, program: PROGRAM })
  const response = await send(new Request(`${url}/v2.3/oauth/token`, { method: 'POST', body }))
  const tokens = (await response.json()) as { refresh_token: string }
  await mkdir(folderOf(environment), { recursive: true, mode: 0o700 })
  await tokenFile(sessionPath(environment, url)).write(tokens.refresh_token)
  await writeFile(addressFile(environment), `${url}\n`, { mode: 0o600 })
  return `${email} is signed in at ${url}.`
}

/** Ends the session of `login`, and deletes its refresh token, also where the session has ended already. */
export async function logout({ HOME, XDG_STATE_HOME, MARKETPLACE_URL }: Environment): Promise<void> {
  const environment = { HOME, XDG_STATE_HOME, MARKETPLACE_URL }
  const { url, send } = await sessionOf(environment)
  const headers = { 'content-type': 'application/json' }
  await send(new Request(`${url}/v2.3/oauth/revoke`, { method: 'POST', headers, body: '{}' })).catch((error) => {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
  })
  await rm(sessionPath(environment, url))
}

/** A line of standard input. What is typed at a terminal for a secret is not shown. */
async function ask(question: string, isSecret = false): Promise<string> {
  process.stderr.write(question)
  const output = isSecret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr
  const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY ?? false })
  try {
    for await (const line of lines) return line
    throw new CliError('Standard input ended without an answer.')
  } finally {
    lines.close()
    if (isSecret) process.stderr.write('\n')
  }
}
