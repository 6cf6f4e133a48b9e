import type { Sql } from '../../kit/db/client.ts'
import type { ThrottleKeys } from './keys.ts'
import {
  ADDRESS_FAILURES_PER_MINUTE,
  FIRST_WAIT_SECONDS,
  FORGET_AFTER_SECONDS,
  LONGEST_WAIT_SECONDS,
  PAIR_FAILURES_PER_MINUTE,
  WINDOW_SECONDS,
} from './rules.ts'

/** The latest end of a wait of one of the keys, if there is one. */
export const findBlock = (sql: Sql, { pair, address }: ThrottleKeys, now: string) => sql<{ blocked_until: string }[]>`
  select blocked_until from identity.throttles
  where key in (${Buffer.from(pair)}, ${Buffer.from(address)}) and blocked_until > ${now}
  order by blocked_until desc limit 1`

/** Counts a failure for both keys and sets their waits, in one statement. */
export const countFailure = (sql: Sql, { pair, address }: ThrottleKeys, now: string) => sql`
  insert into identity.throttles as t (key, failures, window_started_at)
  values (${Buffer.from(pair)}, 1, ${now}), (${Buffer.from(address)}, 1, ${now})
  on conflict (key) do update set
    (failures, window_started_at, blocked_until) = (
      select
        counted.failures,
        counted.window_started_at,
        case when counted.failures >= counted.allowed then
          ${now}::timestamptz + make_interval(secs =>
            least(${LONGEST_WAIT_SECONDS}, ${FIRST_WAIT_SECONDS} * 2 ^ least(counted.failures - counted.allowed, 10)))
        end
      from (
        select
          case when restart.due then 1 else t.failures + 1 end as failures,
          case when restart.due then ${now}::timestamptz else t.window_started_at end as window_started_at,
          case when t.key = ${Buffer.from(pair)} then ${PAIR_FAILURES_PER_MINUTE}::integer
            else ${ADDRESS_FAILURES_PER_MINUTE}::integer end as allowed
        from (
          select case when t.blocked_until is null
            then t.window_started_at <= ${now}::timestamptz - make_interval(secs => ${WINDOW_SECONDS})
            else t.blocked_until <= ${now}::timestamptz - make_interval(secs => ${FORGET_AFTER_SECONDS})
          end as due
        ) restart
      ) counted
    )`

/** Clears the count of an account and address after a success. */
export const clearFailures = (sql: Sql, { pair }: ThrottleKeys) => sql`
  delete from identity.throttles where key = ${Buffer.from(pair)}`
