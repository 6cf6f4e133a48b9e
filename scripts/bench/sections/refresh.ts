import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { asOwner, type Owner } from '../../../services/testing/load/owner.ts'
import { serviceUrl } from '../../local/secrets.ts'
import type { Context } from '../context.ts'
import { type Figure, ratioFigure } from '../figures.ts'
import { bestOf, hasPgbench, runPgbench, sendRequests } from '../load/load.ts'
import { inRounds, type Pace, type Run } from '../rounds.ts'
import { signIn } from '../stage/accounts.ts'
import { capture, pgbenchScript } from '../statements.ts'

const CLIENTS = [8, 16, 32, 64]
const MOST_CLIENTS = 64
/** In a shorter round some of many clients do not get a turn. */
const MIN_SECONDS = 3

/** Refreshing sessions against the statement that rotates a token; each client has a session of its own. */
export async function measureRefreshes(context: Context): Promise<Figure[]> {
  if (!hasPgbench()) return []
  const { services, account, pace, trial, progress } = context
  const sessions = []
  for (let n = 0; n < MOST_CLIENTS; n++) sessions.push(await signIn(services.identity.url, account))
  const tokens = sessions.map(({ refreshToken = '' }) => refreshToken)
  const sessionIds = sessions.map(({ accessToken = '' }) => String(decodeJwt(accessToken).sid))

  const refreshing =
    (connections: number): Run =>
    async (seconds) => {
      const load = { port: services.identity.port, connections, seconds, tokens: tokens.slice(0, connections) }
      const answer = await sendRequests(load)
      tokens.splice(0, connections, ...answer.tokens)
      return answer.perSecond
    }
  const rotating = await rotationsOf(context, sessionIds, () => refreshing(1)(1))
  const long = ({ rounds, seconds }: Pace) => ({ rounds, seconds: Math.max(seconds, MIN_SECONDS) })
  const ours = await bestOf(CLIENTS, refreshing, long(trial))
  const reference = await bestOf(CLIENTS, rotating, long(trial))
  progress(`Refreshes: ours with ${ours.clients} connections, pgbench with ${reference.clients}`)
  const rates = await inRounds({ ours: ours.run, reference: reference.run }, long(pace))
  return [
    ratioFigure({
      what: 'POST /v2.3/oauth/token (refresh) ÷ its statement in pgbench',
      ours: rates.ours,
      reference: rates.reference,
      against: `pgbench, ${reference.clients} clients`,
      atLeast: 0.3,
    }),
  ]
}

/** Each client of pgbench goes from token to token: the hash that it inserted is the hash that it uses next. */
const CHAIN = [
  '\\if :begun',
  '\\set used :next',
  '\\else',
  '\\set used :start + :client_id',
  '\\set begun 1',
  '\\endif',
  '\\set next hash_fnv1a(:used)',
]

async function rotationsOf({ database }: Context, sessionIds: readonly string[], refresh: () => Promise<unknown>) {
  const statements = await capture(database, refresh)
  const rotation = statements.find(({ text }) => /update identity\.refresh_tokens\b/i.test(text))
  if (!rotation) throw new Error('the log of Postgres shows no statement that rotates a token')
  // The hash of the used token comes first in the statement, that of its successor second.
  const hashes = [...new Set(rotation.parameters.filter((value) => value?.startsWith('\\x')))]
  const { text, variables } = pgbenchScript([rotation])
  let statement = text
  for (const [name, value] of Object.entries(variables)) {
    const chained = ['used', 'next'][hashes.indexOf(value)]
    if (chained === undefined) continue
    statement = statement.replaceAll(new RegExp(`:${name}\\b`, 'g'), `:${chained}`)
    delete variables[name]
  }
  const script = join(database.folder, 'refresh.sql')
  await writeFile(script, `${CHAIN.join('\n')}\n${statement}`)
  const url = serviceUrl(database.ownerUrl, 'identity', database.secrets)
  return (clients: number): Run =>
    (seconds) =>
      asOwner(database.ownerUrl, async (owner) => {
        const start = Date.now() * 1000
        await insertTokens(owner, start, sessionIds.slice(0, clients))
        const rate = await runPgbench(
          { url, script, variables: { ...variables, start, begun: 0, next: 0 } },
          clients,
          seconds,
        )
        await requireRotated(owner, start, clients)
        return rate
      })
}

/** The first token of each client. A hash of pgbench is a number; its digits are the stored bytes. */
const insertTokens = (owner: Owner, start: number, sessionIds: readonly string[]) => owner`
  insert into identity.refresh_tokens (hash, session_id, created_at, expires_at)
  select convert_to((${start}::bigint + at - 1)::text, 'UTF8'), session_id, now(), now() + interval '14 days'
  from unnest(${[...sessionIds]}::text[]) with ordinality as sessions (session_id, at)`

/** A statement that finds no token is fast and rotates nothing. */
async function requireRotated(owner: Owner, start: number, clients: number): Promise<void> {
  const [row] = await owner<{ used: number }[]>`
    select count(*)::int as used from identity.refresh_tokens
    where used_at is not null and hash in (
      select convert_to((${start}::bigint + n)::text, 'UTF8') from generate_series(0, ${clients - 1}::int) n)`
  if (row?.used !== clients) throw new Error(`of ${clients} clients of pgbench ${row?.used} rotated a token`)
}
