import {
  CONFIRMATION_HOURS,
  type MailAddress,
  type MailTopic,
} from '../../../proto/http/organization/mail-addresses.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import type { OrNull } from '../../kit/db/rows.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'

type AddressRow = OrNull<MailAddress>

const columns = (sql: Sql) => sql`
  id, email, topics, confirmed_at is not null as confirmed, created_at as "createdTime",
  confirmed_at as "confirmedTime"`

export const listAddresses = (sql: Sql, orgId: string, { after, limit, offset }: PageWindow) => sql<AddressRow[]>`
  select ${columns(sql)} from organization.mail_addresses
  where org_id = ${orgId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

export const findAddress = (sql: Sql, orgId: string, id: string) => sql<AddressRow[]>`
  select ${columns(sql)} from organization.mail_addresses
  where org_id = ${orgId} and id = ${id}`

export const lockAddress = (tx: Tx, orgId: string, id: string) => tx<AddressRow[]>`
  select ${columns(tx)} from organization.mail_addresses
  where org_id = ${orgId} and id = ${id} for update`

export const countAddresses = (sql: Sql, orgId: string) => sql<[{ count: number }]>`
  select count(*)::int as count from organization.mail_addresses where org_id = ${orgId}`

interface NewAddress {
  id: string
  orgId: string
  email: string
  topics: readonly MailTopic[]
  createdBy: string
  confirmationHash: Uint8Array
  unsubscribeToken: string
}

export const insertAddress = (sql: Sql, address: NewAddress, now: string) => sql`
  insert into organization.mail_addresses
    (id, org_id, email, topics, created_by, created_at, confirmable_until, confirmation_hash, unsubscribe_token)
  values (${address.id}, ${address.orgId}, ${address.email}, ${[...address.topics]}, ${address.createdBy}, ${now},
    ${now}::timestamptz + make_interval(hours => ${CONFIRMATION_HOURS}), ${Buffer.from(address.confirmationHash)}, ${address.unsubscribeToken})`

export const updateTopics = (tx: Tx, orgId: string, id: string, topics: readonly MailTopic[]) => tx`
  update organization.mail_addresses set topics = ${[...topics]} where org_id = ${orgId} and id = ${id}`

export const renewConfirmation = (tx: Tx, orgId: string, id: string, hash: Uint8Array, now: string) => tx`
  update organization.mail_addresses set confirmation_hash = ${Buffer.from(hash)},
    confirmable_until = ${now}::timestamptz + make_interval(hours => ${CONFIRMATION_HOURS})
  where org_id = ${orgId} and id = ${id}`

export const deleteAddress = (tx: Tx, orgId: string, id: string) => tx<{ id: string }[]>`
  delete from organization.mail_addresses where org_id = ${orgId} and id = ${id} returning id`

/** The address of a link. */
export interface LinkedAddress {
  id: string
  org_id: string
  created_by: string
}

/** Of concurrent callers one gets the row. */
export const confirmAddress = (tx: Tx, hash: Uint8Array, now: string) => tx<LinkedAddress[]>`
  update organization.mail_addresses set confirmed_at = ${now}, confirmation_hash = null, confirmable_until = null
  where confirmation_hash = ${Buffer.from(hash)} and confirmable_until > ${now}
  returning id, org_id, created_by`

/** The address of a link that confirms it, of one that removes it, or of one that ends the mails to a user. */
export const findLinked = (sql: Sql, token: string, hash: Uint8Array, now: string) => sql<
  { email: string; organizationName: string }[]
>`
  select a.email, o.name as "organizationName"
  from organization.mail_addresses a
  join organization.organizations o on o.id = a.org_id
  where a.unsubscribe_token = ${token} or (a.confirmation_hash = ${Buffer.from(hash)} and a.confirmable_until > ${now})
  union all
  select u.email, o.name
  from organization.user_notifications n
  join organization.users u on u.id = n.user_id
  join organization.organizations o on o.id = u.org_id
  where u.active and (n.unsubscribe_token = ${token}
    or (n.confirmation_hash = ${Buffer.from(hash)} and n.confirmable_until > ${now}))`

export const unsubscribeAddress = (tx: Tx, token: string) => tx<LinkedAddress[]>`
  delete from organization.mail_addresses where unsubscribe_token = ${token} returning id, org_id, created_by`

/** The mail address of the organization that equals the e-mail address of one of its users. */
export const deleteAddressOfUser = (tx: Tx, orgId: string, userId: string) => tx<{ id: string }[]>`
  delete from organization.mail_addresses
  where org_id = ${orgId} and email_key = (select email_key from organization.users where id = ${userId})
  returning id`

export const deleteUnconfirmedOf = (tx: Tx, orgId: string, userIds: readonly string[], since: string) => tx<
  { id: string }[]
>`
  delete from organization.mail_addresses
  where org_id = ${orgId} and created_by = any(${[...userIds]}) and confirmed_at is null and created_at >= ${since}
  returning id`

export const deleteUnconfirmed = (tx: Tx, now: string, limit: number) => tx<{ id: string; org_id: string }[]>`
  delete from organization.mail_addresses where id = any(array(
    select id from organization.mail_addresses where confirmable_until <= ${now}
    order by confirmable_until limit ${limit} for update skip locked))
  returning id, org_id`
