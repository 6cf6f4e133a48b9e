import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { ADMINISTRATION, rotateRefreshToken } from '../../../services/identity/tokens/queries.ts'
import { connect, type Pool } from '../../../services/kit/db/client.ts'
import { serviceUrl } from '../../local/secrets.ts'
import type { Bench } from '../bench.ts'
import { type Figure, ratioFigure } from '../figures.ts'
import { refreshSessions } from '../load/load.ts'
import { hasPgbench, runPgbench } from '../load/pgbench.ts'
import { fastest, inRounds, type Run } from '../rounds.ts'
import { signIn } from '../stage/people.ts'
import { forPgbench, requireSameStatement, type SentStatement, statementOf } from '../stage/statements.ts'

const CLIENTS = [8, 16, 32, 64]
const MOST_CLIENTS = 64

/** What pgbench is told to be the time: that of this run is as good as any. */
const NOW = new Date().toISOString()
const IDLE_UNTIL = new Date(Date.now() + 14 * 24 * 60 * 60 * 1000).toISOString()

/** Refreshing sessions against the one statement that rotates a token, each client with a session of its own. */
export async function measureRefreshes(bench: Bench): Promise<Figure[]> {
  if (!hasPgbench()) return []
  const { database, pace, trial, progress } = bench
  const owner = connect(database.ownerUrl, { max: 1, applicationName: 'bench-look' })
  try {
    const sessions = await openSessions(bench)
    const ours = refreshing(bench, sessions)
    const { statement, ...script } = await writeScript(bench)
    const reference = rotating(owner, script, sessions)
    // In less than this some of many clients do not get a turn.
    const long = { ...trial, seconds: Math.max(trial.seconds, 3) }
    const best = async (way: (clients: number) => Run) =>
      Number(await fastest(Object.fromEntries(CLIENTS.map((clients) => [clients, way(clients)])), long))
    const [clients, referenceClients] = [await best(ours), await best(reference)]
    await requireSameStatement(database.ownerUrl, statement, {
      pgbench: () => reference(referenceClients)(2),
      identity: () => ours(clients)(2),
    })
    progress(`Refreshes: ours with ${clients} connections, pgbench with ${referenceClients}`)
    const rates = await inRounds({ ours: ours(clients), reference: reference(referenceClients) }, pace)
    return [
      ratioFigure({
        what: 'POST /v2.3/oauth/token (refresh) ÷ its rotation in pgbench',
        ours: rates.ours,
        reference: rates.reference,
        against: `pgbench, ${referenceClients} clients`,
        atLeast: 0.3,
      }),
    ]
  } finally {
    await owner.end({ timeout: 1 })
  }
}

interface Session {
  refreshToken: string
  sessionId: string
}

async function openSessions({ services, account }: Bench): Promise<Session[]> {
  const sessions: Session[] = []
  for (let n = 0; n < MOST_CLIENTS; n++) {
    const { accessToken = '', refreshToken = '' } = await signIn(services.identity.url, account)
    sessions.push({ refreshToken, sessionId: String(decodeJwt(accessToken).sid) })
  }
  return sessions
}

/** Our side: each client goes on with the token of its last answer, from one round to the next. */
function refreshing({ services }: Bench, sessions: readonly Session[]): (clients: number) => Run {
  const tokens = sessions.map(({ refreshToken }) => refreshToken)
  return (clients) => async (seconds) => {
    const load = { port: services.identity.port, seconds, tokens: tokens.slice(0, clients) }
    const answer = await refreshSessions(load)
    tokens.splice(0, clients, ...answer.tokens)
    return answer.perSecond
  }
}

/** The other side: tokens of the same sessions, rotated by the statement alone. */
function rotating(owner: Pool, { url, script }: Script, sessions: readonly Session[]): (clients: number) => Run {
  const sessionIds = sessions.map(({ sessionId }) => sessionId)
  return (clients) => async (seconds) => {
    const start = Date.now() * 1000
    await insertTokens(owner, start, sessionIds.slice(0, clients))
    const variables = { start, begun: 0, next: 0, now: NOW, idle_until: IDLE_UNTIL, administration: ADMINISTRATION }
    const rate = await runPgbench({ url, script, variables, clients }, seconds)
    await requireRotated(owner, start, clients)
    return rate
  }
}

interface Script {
  /** Whom the statement runs as. */
  url: string
  script: string
}

/** Each client of pgbench goes from token to token as ours do: what it inserted is what it uses next. */
async function writeScript({ database }: Bench): Promise<Script & { statement: SentStatement }> {
  const url = serviceUrl(database.ownerUrl, 'identity', database.secrets)
  const [used, successor] = [Buffer.from('used'), Buffer.from('next')]
  const statement = await statementOf(url, (sql) =>
    rotateRefreshToken(sql, { used, successor, idleUntil: IDLE_UNTIL }, NOW),
  )
  const asSent = (bytes: Buffer) => `\\x${bytes.toString('hex')}`
  const values = {
    used: asSent(used),
    next: asSent(successor),
    now: NOW,
    idle_until: IDLE_UNTIL,
    administration: ADMINISTRATION,
  }
  const script = join(database.folder, 'refresh.sql')
  const chain = [
    '\\if :begun',
    '\\set used :next',
    '\\else',
    '\\set used :start + :client_id',
    '\\set begun 1',
    '\\endif',
    '\\set next hash_fnv1a(:used)',
  ]
  await writeFile(script, `${chain.join('\n')}\n${forPgbench(statement, values)}`)
  return { url, script, statement }
}

/** The first token of each client. What pgbench has for a hash is a number: its digits are the bytes that are stored. */
const insertTokens = (owner: Pool, start: number, sessionIds: readonly string[]) => owner`
  insert into identity.refresh_tokens (hash, session_id, created_at, expires_at)
  select convert_to((${start}::bigint + at - 1)::text, 'UTF8'), session_id, ${NOW}, ${IDLE_UNTIL}
  from unnest(${[...sessionIds]}::text[]) with ordinality as sessions (session_id, at)`

/** A statement that finds no token rotates nothing, and is fast. */
async function requireRotated(owner: Pool, start: number, clients: number): Promise<void> {
  const [row] = await owner<{ used: number }[]>`
    select count(*)::int as used from identity.refresh_tokens
    where used_at is not null and hash in (
      select convert_to((${start}::bigint + n)::text, 'UTF8') from generate_series(0, ${clients - 1}::int) n)`
  if (row?.used !== clients) throw new Error(`of ${clients} clients of pgbench ${row?.used} rotated a token`)
}
