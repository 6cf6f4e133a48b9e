import type {
  MAX_REGISTRATIONS_PER_NETWORK,
  Registration,
  RegistrationInput,
} from '../../../proto/http/organization/registrations.ts'
import type { RegistrationState } from '../../../proto/states/registrations.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { and } from '../../kit/db/conditions.ts'
import type { OrNull } from '../../kit/db/rows.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'
import { inBatches } from '../../kit/worker/batches.ts'
import { LOOK_ALIKES, LOOKED_AT } from './rules.ts'

interface NewRegistration {
  id: string
  content: RegistrationInput
  email: string
  ipAddress: string | undefined
  /** The network of the address. */
  network: string
  userAgent: string | null
}

interface Bounds {
  /** Registrations that wait for their link. */
  waiting: number
  ofNetwork: typeof MAX_REGISTRATIONS_PER_NETWORK
}

/** No row where too many wait, or come from one network within an hour. */
export const insertRegistration = (sql: Sql, registration: NewRegistration, max: Bounds, now: string) => sql<
  { id: string }[]
>`
  insert into organization.registrations (id, content, email, email_key, name, ip_address, network,
    user_agent, created_at)
  select ${registration.id}, ${JSON.stringify(registration.content)}::text::json, ${registration.email},
    lower(${registration.email}), ${registration.content.organization.name}, ${registration.ipAddress ?? null},
    ${registration.network}, ${registration.userAgent}, ${now}
  where (select count(*) from (
      select from organization.registrations where not handled limit ${max.waiting}) waiting) < ${max.waiting}
    and (select count(*) from organization.registrations recent
      where recent.network = ${registration.network}
        and recent.created_at > ${now}::timestamptz - interval '1 hour') < ${max.ofNetwork}
  returning id`

/** What shares a turn: a client with IPv6 can have every network of a /48. */
const siteOf = (sql: Sql, network: ReturnType<Sql>) => sql`case
  when ${network} like '%:%/64' then network(set_masklen(${network}::inet, 48))::text else ${network} end`

/**
 * Where as many wait as may, deletes the newest request of the site with the most. It gives way to a request of another
 * network, whose site then still has no more of them.
 */
export const makeRoom = (tx: Tx, network: string, max: Pick<Bounds, 'waiting'>) => tx`
  with waiting as (
    select id, ${siteOf(tx, tx`network`)} as site from organization.registrations where not handled
  ), fullest as (
    select site from waiting group by site
    having count(*) > 1 + (select count(*) from waiting own where own.site = ${siteOf(tx, tx`${network}::text`)})
    order by count(*) desc, site limit 1)
  delete from organization.registrations
  where not handled and (select count(*) from waiting) >= ${max.waiting}
    and id = (select max(id) from waiting join fullest using (site))`

/** The oldest request of the site that got the fewest mails within an hour, and that no other replica handles. */
export const takeRequest = (tx: Tx, now: string) => tx<
  { id: string; email: string; email_key: string; ip_address: string | null; user_agent: string | null }[]
>`
  with sent as (
    select ${siteOf(tx, tx`registration.network`)} as site, count(*) as mails
    from organization.mails m
    join organization.registrations registration on registration.id = m.registration_id
    where m.recipient_hash is not null and m.kind in ('REGISTRATION', 'REGISTERED')
      and m.created_at > ${now}::timestamptz - interval '1 hour'
    group by site)
  update organization.registrations set handled = true, handled_at = ${now} where id = (
    select waiting.id from organization.registrations waiting
    left join sent on sent.site = ${siteOf(tx, tx`waiting.network`)}
    where not waiting.handled
    order by coalesce(sent.mails, 0), waiting.id limit 1 for update of waiting skip locked)
  returning id, email, email_key, ip_address, user_agent`

export const findAccount = (tx: Tx, emailKey: string) => tx<{ id: string; org_id: string }[]>`
  select id, org_id from organization.users where email_key = ${emailKey}`

export const setLink = (tx: Tx, id: string, hash: Uint8Array) => tx`
  update organization.registrations set confirmation_hash = ${Buffer.from(hash)} where id = ${id}`

/** Deletes the registrations of a user's address, and that of the organization if this is its first user. */
export const deleteRegistrationsOf = (tx: Tx, orgId: string, userId: string) => tx`
  delete from organization.registrations registration using organization.users u
  where u.id = ${userId} and (registration.email_key = u.email_key
    or registration.org_id = ${orgId} and u.id = (
      select min(id) from organization.users where org_id = ${orgId}))`

/** When a request was handled. An earlier release did not store the time. */
const handledAt = (sql: Sql) => sql`coalesce(handled_at, created_at)`

/** The registration of a link that was not used. */
export const findByLink = (sql: Sql, hash: Uint8Array, handledAfter: string) => sql<{ content: RegistrationInput }[]>`
  select content from organization.registrations
  where confirmation_hash = ${Buffer.from(hash)} and ${handledAt(sql)} > ${handledAfter}`

/** Locks the requests of the address of a link, so that of several links one is used. */
export const lockRequestsOfLink = (tx: Tx, hash: Uint8Array) => tx`
  select id from organization.registrations
  where state in ('UNCONFIRMED', 'PENDING') and email_key = (
    select email_key from organization.registrations where confirmation_hash = ${Buffer.from(hash)})
  order by id for update`

/** Of concurrent uses of a link one gets the row. */
export const confirm = (tx: Tx, hash: Uint8Array, handledAfter: string, now: string) => tx<
  { id: string; email_key: string; content: RegistrationInput }[]
>`
  update organization.registrations set state = 'PENDING', confirmation_hash = null, confirmed_at = ${now}
  where confirmation_hash = ${Buffer.from(hash)} and ${handledAt(tx)} > ${handledAfter} and state = 'UNCONFIRMED'
  returning id, email_key, content`

/** Other requests of an address that has confirmed one: the operator decides about the newest. */
export const deleteOthersOf = (tx: Tx, emailKey: string, id: string) => tx`
  delete from organization.registrations
  where email_key = ${emailKey} and state in ('UNCONFIRMED', 'PENDING') and id <> ${id}`

export const lockRegistration = (tx: Tx, id: string) => tx<
  { state: RegistrationState; content: RegistrationInput; email: string }[]
>`
  select state, content, email from organization.registrations
  where id = ${id} and state <> 'UNCONFIRMED' for update`

export const approve = (tx: Tx, id: string, orgId: string, now: string) => tx`
  update organization.registrations set state = 'APPROVED', org_id = ${orgId}, decided_at = ${now} where id = ${id}`

export const reject = (tx: Tx, id: string, reason: string, now: string) => tx`
  update organization.registrations set state = 'REJECTED', reason = ${reason}, decided_at = ${now} where id = ${id}`

/** Organizations that are shown for each reason. */
const MOST_SIMILAR = 5
/** A domain of more organizations is that of a public provider of mail, and tells nothing. */
const MOST_OF_DOMAIN = 5

/** The name with letters of other scripts as the Latin ones that they imitate. */
const inLatin = (sql: Sql) => sql`translate(lower(registration.name), ${LOOK_ALIKES}, ${LOOKED_AT})`

/** What the operator compares, on rows `registration`. */
const similar = (sql: Sql) => sql`(
  select coalesce(json_agg(found), '[]') from (
    (select id as "orgId", name, 'NAME' as because from organization.organizations
      where registration.state = 'PENDING'
        and (lower(name) % lower(registration.name) or lower(name) % ${inLatin(sql)})
      order by greatest(similarity(lower(name), lower(registration.name)), similarity(lower(name), ${inLatin(sql)})) desc, id
      limit ${MOST_SIMILAR})
    union all
    (select id, name, 'DOMAIN' from (
        select id, name, count(*) over () as of_domain from organization.organizations
        where registration.state = 'PENDING' and id in (
          select org_id from organization.users
          where split_part(email_key, '@', 2) = split_part(registration.email_key, '@', 2)
          limit 1000)) same
      where of_domain <= ${MOST_OF_DOMAIN} order by id)) found)`

const columns = (sql: Sql) => sql`registration.id, registration.state,
  registration.content -> 'organization' as organization, registration.content -> 'user' as "user",
  ${similar(sql)} as similar, registration.reason, registration.org_id as "orgId",
  registration.created_at as "createdTime", registration.confirmed_at as "confirmedTime",
  registration.decided_at as "decidedTime"`

export const findRegistration = (sql: Sql, id: string) => sql<OrNull<Registration>[]>`
  select ${columns(sql)} from organization.registrations registration
  where id = ${id} and state <> 'UNCONFIRMED'`

interface Listing extends PageWindow {
  state?: RegistrationState | undefined
}

/** Newest first. */
export const listRegistrations = (sql: Sql, { state, after, limit, offset }: Listing) => sql<OrNull<Registration>[]>`
  select ${columns(sql)} from (
    select id, state, content, reason, org_id, created_at, confirmed_at, decided_at, name, email_key
    from organization.registrations
    where ${and(sql, state === undefined ? sql`state <> 'UNCONFIRMED'` : sql`state = ${state}`, sql`id < ${after ?? NEWEST_ID}`)}
    order by id desc limit ${limit} offset ${offset}) registration
  order by registration.id desc`

interface Kept {
  unconfirmedBefore: string
  decidedBefore: string
  /** Whether requests that still wait for their mail are kept. */
  waiting: boolean
}

export const deleteOld = (sql: Sql, { unconfirmedBefore, decidedBefore, waiting }: Kept, signal: AbortSignal) =>
  inBatches(
    { limit: 1000, signal },
    (limit) => sql`
      delete from organization.registrations where id = any(array(
        select id from organization.registrations
        where state = 'UNCONFIRMED' and ${handledAt(sql)} < ${unconfirmedBefore} and (handled or not ${waiting}::boolean)
          or state in ('APPROVED', 'REJECTED') and decided_at < ${decidedBefore}
        order by id limit ${limit} for update skip locked))`,
  )
