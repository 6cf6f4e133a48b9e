import { decodeJwt } from 'jose'
import { asOwner, type Owner } from '../../../services/testing/load/owner.ts'
import { compareRates, type Run, type Side } from '../compare.ts'
import type { Section } from '../context.ts'
import { sendRequests } from '../load/http.ts'
import { runPgbench } from '../load/pgbench.ts'
import { signIn } from '../stage/accounts.ts'
import type { Database } from '../stage/database.ts'
import { capture, pgbenchScript } from '../statements.ts'

const CLIENTS = [8, 16, 32, 64]
const MOST_CLIENTS = 64
/** In a shorter round some of many clients do not get a turn. */
const MIN_SECONDS = 3

/** Refreshing sessions against the statement that rotates a token; each client has a session of its own. */
export const measureRefreshes: Section = async function* (context) {
  const { database, services, pace } = context
  const tokens: string[] = []
  const sessionIds: string[] = []
  for (let session = 0; session < MOST_CLIENTS; session++) {
    const { refreshToken = '', accessToken = '' } = await signIn(context, 'identity')
    tokens.push(refreshToken)
    sessionIds.push(String(decodeJwt(accessToken).sid))
  }
  const refresh =
    (connections: number): Run =>
    async (seconds) => {
      const load = { port: services.identity.port, connections, seconds, tokens: tokens.slice(0, connections) }
      const answer = await sendRequests(load)
      tokens.splice(0, connections, ...answer.tokens)
      return answer.perSecond
    }
  const rotate = await rotation(database, sessionIds, () => refresh(1)(1))
  yield* compareRates({
    what: 'POST /v2.3/oauth/token (refresh)',
    ours: sideOf(refresh),
    references: [{ name: 'its statement in pgbench', side: sideOf(rotate), atLeast: 0.3 }],
    pace,
  })
}

const sideOf = (variant: (clients: number) => Run): Side =>
  Object.fromEntries(
    CLIENTS.map((clients) => [`${clients} clients`, (seconds) => variant(clients)(Math.max(seconds, MIN_SECONDS))]),
  )

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

async function rotation(database: Database, sessionIds: readonly string[], refresh: () => Promise<unknown>) {
  const statements = await capture(database, refresh)
  const statement = statements.find(({ text }) => /update identity\.refresh_tokens\b/i.test(text))
  if (!statement) throw new Error('the log of Postgres shows no statement that rotates a token')
  // The hash of the used token comes first in the statement, that of its successor second.
  const hashes = [...new Set(statement.parameters.filter((value) => value?.startsWith('\\x')))]
  const { text, variables } = pgbenchScript([statement])
  let chained = text
  for (const [name, value] of Object.entries(variables)) {
    const variable = ['used', 'next'][hashes.indexOf(String(value))]
    if (variable === undefined) continue
    chained = chained.replaceAll(new RegExp(`:${name}\\b`, 'g'), `:${variable}`)
    delete variables[name]
  }
  const script = `${CHAIN.join('\n')}\n${chained}`
  return (clients: number): Run =>
    (seconds) =>
      asOwner(database.ownerUrl, async (owner) => {
        const start = Date.now() * 1000
        await insertTokens(owner, start, sessionIds.slice(0, clients))
        const given = { ...variables, start, begun: 0, next: 0 }
        const rate = await runPgbench(database, {
          service: 'identity',
          clients,
          seconds,
          text: script,
          variables: given,
        })
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
