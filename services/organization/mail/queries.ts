import type { MailTopic } from '../../../proto/http/organization/mail-addresses.ts'
import type { Fragment, Sql, Tx } from '../../kit/db/client.ts'
import { lockByName } from '../../kit/db/locks.ts'
import { inBatches } from '../../kit/worker/batches.ts'
import { MAIL, MAX_ADMINISTRATORS } from './limits.ts'
import type { NewMail } from './link-queries.ts'
import type { Notice, RfqRole } from './rules.ts'
import type { SmtpFailure } from './smtp.ts'
import type { ReadPackage, ReadRfq } from './texts.ts'

export const listConfirmed = (tx: Tx, orgIds: readonly string[]) => tx<
  { id: string; org_id: string; email_key: string; topics: MailTopic[]; confirmed_at: string }[]
>`
  select id, org_id, email_key, topics, confirmed_at from organization.mail_addresses
  where org_id = any(${orgIds}) and confirmed_at is not null order by id`

/** A person who may be notified. */
export interface Person {
  user_id: string
  org_id: string
  email_key: string
}

const isNotified = (sql: Sql) => sql`(u.kind = 'PERSON' and u.active and u.anonymised_at is null and exists (
  select from organization.user_notifications n
  where n.user_id = u.id and n.enabled and n.proved_email_key = u.email_key))`

/** The administrators who are notified for their organization, because no address of it is confirmed. */
export const listAdministrators = (tx: Tx, orgIds: readonly string[]) => tx<Person[]>`
  select a.id as user_id, a.org_id, a.email_key
  from organization.organizations o
  cross join lateral (
    select u.id, u.org_id, u.email_key
    from organization.roles r
    join organization.user_roles ur on ur.role_id = r.id
    join organization.users u on u.id = ur.user_id
    where r.org_id = o.id and 'org:admin' = any(r.permissions) and ${isNotified(tx)}
    group by u.id order by u.id limit ${MAX_ADMINISTRATORS}) a
  where o.id = any(${orgIds}) and o.notify_administrators and not exists (
    select from organization.mail_addresses m where m.org_id = o.id and m.confirmed_at is not null)`

/** The persons who created the records, each in an organization that the event is for. */
export const listCreators = (tx: Tx, recordIds: readonly string[], orgIds: readonly string[]) => tx<
  (Person & { record_id: string })[]
>`
  select distinct c.record_id, u.id as user_id, u.org_id, u.email_key
  from sourcing.record_creators c
  join organization.users u on u.id = c.user_id and u.org_id = c.org_id
  where c.record_id = any(${recordIds}) and c.org_id = any(${orgIds}) and ${isNotified(tx)}`

/** The roles of organizations in RFQs, with the packages that they read. */
export const listReaders = (tx: Tx, rfqIds: readonly string[], orgIds: readonly string[]) => tx<
  { rfq_id: string; org_id: string; role: RfqRole; package_id: string | null }[]
>`
  select rfq_id, org_id, role, package_id from sourcing.rfq_readers where rfq_id = any(${rfqIds}) and org_id = any(${orgIds})`

/** Gives up mails, and with them their jobs and secrets. */
const drop = (sql: Sql, mails: Fragment, now: string) => sql`
  with dropped as (
    update organization.mails set state = 'FAILED', secret = null, finished_at = ${now} where ${mails} returning id
  )
  delete from organization.jobs where kind = ${MAIL} and id in (select id from dropped)`

/** Ends the unsent mails of an address that is removed. */
export const dropMails = (tx: Tx, addressId: string, now: string) =>
  drop(tx, tx`address_id = ${addressId} and state = 'PENDING'`, now)

/** Ends the unsent notifications and confirmations of a user. */
export const dropMailsTo = (tx: Tx, userId: string, now: string) =>
  drop(tx, tx`user_id = ${userId} and kind in ('NOTICE', 'CONFIRMATION') and state = 'PENDING'`, now)

/** Whether the address of a mail was removed, its user is no longer notified, or its link is void. */
const isVoid = (sql: Sql) => sql`(
  case
    when m.registration_id is not null then m.kind = 'REGISTRATION' and not exists (
      select from organization.registrations r where r.id = m.registration_id and r.confirmation_hash is not null)
    when m.email_invitation_id is not null then not exists (
      select from sourcing.email_invitation_mails i where i.id = m.email_invitation_id)
    when m.address_id is not null then not exists (select from organization.mail_addresses a where a.id = m.address_id)
    when m.kind like 'PASSKEY%' then not exists (
      select from organization.users u where u.id = m.user_id and u.anonymised_at is null)
    when m.kind = 'NOTICE' then not exists (select from organization.users u where u.id = m.user_id and ${isNotified(sql)})
    when m.kind = 'CONFIRMATION' then not exists (
      select from organization.user_notifications n where n.user_id = m.user_id and n.confirmation_hash is not null)
    else not exists (select from organization.pending_activations p where p.token_hash = m.activation_hash) end)`

/** Notices of one organization are sealed one after the other, for its limit of an hour. */
export const lockNotices = (tx: Tx, orgId: string) => lockByName(tx, 'notices', orgId)

/**
 * A mail that was not sent, and until when it waits. A recipient gets one NOTICE at a time; the next one collects
 * meanwhile. Beyond the limit of an hour, the notices of an organization collect until the next hour.
 */
export const lockMail = (tx: Tx, id: string, hourlyMax: number, now: string) => tx<
  { is_void: boolean; wait_ms: number | null }[]
>`
  select ${isVoid(tx)} as is_void, case when m.kind = 'NOTICE' and m.sealed_at is null then
    extract(epoch from greatest((
      select max(greatest(j.due_at, ${now}::timestamptz + interval '1 second'))
      from organization.mails s join organization.jobs j on j.kind = ${MAIL} and j.id = s.id
      where (s.address_id = m.address_id or s.user_id = m.user_id) and s.state = 'PENDING' and s.kind = 'NOTICE'
        and s.sealed_at is not null
    ), (
      select s.sealed_at + interval '1 hour' from organization.mails s
      where s.org_id = m.org_id and s.kind = 'NOTICE' and s.sealed_at > ${now}::timestamptz - interval '1 hour'
      order by s.sealed_at desc offset ${hourlyMax - 1} limit 1
    )) - ${now}::timestamptz)::float * 1000 end as wait_ms
  from organization.mails m where m.id = ${id} and m.state = 'PENDING' for update of m`

export interface ClaimedMail {
  id: string
  org_id: string
  org_name: string
  kind: 'NOTICE' | NewMail['kind']
  items: Notice[]
  omitted: number
  secret: string | null
  sealed_at: string
  created_at: string
  expires_at: string
  /** Expiry of an activation link. */
  link_expires_at: string | null
  email: string
  given_name: string | null
  unsubscribe_token: string | null
  /** Null for a mail address, and for an applicant. */
  user_id: string | null
  /** Of a mail to an applicant. */
  registration: { name: string; givenName: string; reason?: string } | null
  /** Whether the person registered the organization, and the operator admitted it. */
  is_applicant: boolean
  /** Of a mail to an invited address: the serial number of the RFQ. */
  rfq_serial_number: string | null
}

/** Seals a mail at its first attempt. A NOTICE takes no further items. */
export const sealMail = (tx: Tx, id: string, now: string) => tx<[ClaimedMail]>`
  update organization.mails m set sealed_at = coalesce(m.sealed_at, ${now})
  from organization.mails own
  join organization.organizations o on o.id = own.org_id
  left join organization.mail_addresses a on a.id = own.address_id
  left join organization.users u on u.id = own.user_id
  left join organization.user_notifications n on n.user_id = own.user_id
  left join organization.activations l on l.token_hash = own.activation_hash
  left join organization.registrations r on r.id = own.registration_id
  left join sourcing.email_invitation_mails i on i.id = own.email_invitation_id
  where m.id = ${id} and own.id = m.id
  returning m.id, m.org_id, o.name as org_name, m.kind, m.items, m.omitted, m.secret, m.sealed_at, m.created_at, m.expires_at,
    coalesce(l.expires_at, i.expires_at) as link_expires_at, coalesce(a.email, u.email, r.email, i.email) as email,
    u.given_name, i.serial_number as rfq_serial_number,
    exists (select from organization.registrations own_registration
      where own_registration.org_id = own.org_id and own_registration.email_key = u.email_key) as is_applicant,
    case when r.id is not null then json_strip_nulls(json_build_object(
      'name', r.name, 'givenName', r.content -> 'user' -> 'givenName', 'reason', r.reason)) end as registration,
    coalesce(a.unsubscribe_token, n.unsubscribe_token) as unsubscribe_token, own.user_id`

/** The end of an attempt. A PENDING mail is tried again. */
interface Attempt {
  id: string
  leaseToken: string
  state: 'SENT' | 'FAILED' | 'PENDING'
  failure: SmtpFailure['by'] | null
}

/** Records an attempt, unless its lease was lost or the mail was given up meanwhile, and with it its secret. */
export const recordAttempt = (tx: Tx, { id, leaseToken, state, failure }: Attempt, now: string) => tx`
  update organization.mails set
    state = ${state}, failure = ${failure}, secret = case when ${state === 'PENDING'} then secret end,
    finished_at = case when ${state !== 'PENDING'} then ${now}::timestamptz end
  where id = ${id} and state = 'PENDING' and exists (
    select from organization.jobs where kind = ${MAIL} and id = ${id} and lease_token = ${leaseToken})`

/** RFQs as an organization reads them. */
export const listRfqs = (sql: Sql, orgId: string, rfqIds: readonly string[]) => sql<(ReadRfq & { id: string })[]>`
  select distinct on (rfq_id) rfq_id as id, serial_number as "serialNumber", title, expires_at as "expireTime"
  from sourcing.rfq_readers
  where org_id = ${orgId} and rfq_id = any(${rfqIds}) order by rfq_id, title`

/** Packages as an organization reads them in each of its roles, without the title before it has accepted the terms. */
export const listPackages = (sql: Sql, orgId: string, packageIds: readonly string[]) => sql<
  (ReadPackage & { id: string; role: RfqRole })[]
>`
  select package_id as id, role, case when not awaits_acceptance then title end as title, lines,
    expires_at as "expireTime"
  from sourcing.package_readers
  where org_id = ${orgId} and package_id = any(${packageIds})`

/** For how long the server has kept the oldest mail waiting, of at most 10,000. */
export const measureMails = (sql: Sql, now: string) => sql<[{ oldest_ms: number | null }]>`
  select extract(epoch from ${now}::timestamptz - min(
      case when m.failure = 'SERVER' then m.created_at when m.failure is null and j.due_at <= ${now} then j.due_at end
    ))::float * 1000 as oldest_ms
  from (select id, failure, created_at from organization.mails where state = 'PENDING' limit 10000) m
  join organization.jobs j on j.kind = ${MAIL} and j.id = m.id`

/** Gives up the mails that have expired or are void, unless they are being sent. */
export const failExpired = (sql: Sql, now: string, signal: AbortSignal) =>
  inBatches({ limit: 1000, signal }, (limit) =>
    drop(
      sql,
      sql`id = any(array(
        select m.id from organization.mails m
        where m.state = 'PENDING' and (m.expires_at <= ${now} or ${isVoid(sql)}) and not exists (
          select from organization.jobs j where j.kind = ${MAIL} and j.id = m.id and j.lease_until > now())
        order by m.created_at limit ${limit} for update of m skip locked))`,
      now,
    ),
  )

/** Forgets the recipients of links that limits no longer count. */
export const forgetRecipients = (sql: Sql, before: string, signal: AbortSignal) =>
  inBatches(
    { limit: 1000, signal },
    (limit) => sql`
      update organization.mails set recipient_hash = null where id = any(array(
        select id from organization.mails
        where recipient_hash is not null and created_at < ${before}
          and (kind <> 'RFQ_INVITATION' or created_at < ${before}::timestamptz - interval '23 hours')
        order by created_at limit ${limit} for update skip locked))`,
  )
