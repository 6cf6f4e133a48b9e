import { decodeJwt } from 'jose'
import { asOwner, type Owner } from '../../../../services/testing/load/owner.ts'
import { compareRates, type Run, sideOf } from '../compare.ts'
import type { Context, Section } from '../context.ts'
import { answersPerSecond, bytesOf } from '../http.ts'
import { runPgbench } from '../pgbench.ts'
import { signIn } from '../services.ts'

const CLIENTS = [8, 16, 32, 64]
/** In a shorter round some of many clients do not get a turn. */
const MIN_SECONDS = 3

/** Refreshing sessions against the least that rotates a token; each client has a session of its own. */
export const measureRefreshes: Section = async function* (context) {
  const sessions = await Array.fromAsync({ length: Math.max(...CLIENTS) }, () => signIn(context, 'identity'))
  const conversations = sessions.map((session) => ({
    next: () => refreshOf(session.refreshToken),
    answered(body: Buffer) {
      session.refreshToken = JSON.parse(body.toString()).refresh_token
    },
  }))
  const { port } = context.services.identity
  const refresh = (clients: number): Run => {
    const some = conversations.slice(0, clients)
    return (seconds) => answersPerSecond(port, Math.max(seconds, MIN_SECONDS), some)
  }
  const sessionIds = sessions.map(({ accessToken = '' }) => String(decodeJwt(accessToken).sid))
  const rotate = rotation(context, sessionIds)
  yield* compareRates({
    what: 'POST /v2.3/oauth/token (refresh)',
    ours: sideOf('clients', CLIENTS, refresh),
    references: [{ name: 'the rotation in pgbench', side: sideOf('clients', CLIENTS, rotate), atLeast: 0.3 }],
    pace: context.pace,
  })
}

const refreshOf = (token: string | undefined) =>
  bytesOf({
    method: 'POST',
    path: '/v2.3/oauth/token',
    body: JSON.stringify({ grant_type: 'refresh_token', refresh_token: token }),
  })

/** Each client of pgbench rotates its own tokens, whose hashes are consecutive numbers. It fails without its token. */
const ROTATION = `\\set number :number + 1
\\set used :first + :client_id * 1000000 + :number
\\set next :used + 1
begin;
update identity.refresh_tokens set used_at = now() where hash = convert_to(:used::text, 'UTF8') and used_at is null
returning session_id \\gset
insert into identity.refresh_tokens (hash, session_id, created_at, expires_at)
values (convert_to(:next::text, 'UTF8'), :session_id, now(), now() + interval '14 days');
commit;
`

const rotation =
  ({ database }: Context, sessionIds: readonly string[]) =>
  (clients: number): Run =>
  (seconds) =>
    asOwner(database.ownerUrl, async (owner) => {
      const first = Date.now() * 1_000_000
      await insertTokens(owner, first, sessionIds.slice(0, clients))
      const load = { clients, seconds: Math.max(seconds, MIN_SECONDS) }
      return runPgbench(database, 'identity', { text: ROTATION, variables: { first, number: -1 } }, load)
    })

/** The first token of each client. A hash of pgbench is a number; its digits are the stored bytes. */
const insertTokens = (owner: Owner, first: number, sessionIds: readonly string[]) => owner`
  insert into identity.refresh_tokens (hash, session_id, created_at, expires_at)
  select convert_to((${first}::bigint + (at - 1) * 1000000)::text, 'UTF8'), session_id, now(), now() + interval '14 days'
  from unnest(${[...sessionIds]}::text[]) with ordinality as sessions (session_id, at)`
