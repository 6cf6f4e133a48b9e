import type { Tx } from '../../kit/db/client.ts'
import { lockByName } from '../../kit/db/locks.ts'

/** A mail to an applicant. */
export type ApplicantMailKind = 'REGISTRATION' | 'REGISTERED' | 'REJECTION'

interface LinkMail {
  id: string
  orgId: string
  kind: 'CONFIRMATION' | 'INVITATION' | 'RESET' | 'FORGOTTEN'
  addressId: string | null
  userId: string | null
  activationHash: Uint8Array | null
  recipientHash: Uint8Array
  secret: string
  expiresAt: string
}

export type PasskeyMailKind = 'PASSKEY_ADDED' | 'PASSKEY_REMOVED' | 'PASSKEYS_RESET'

/** Mails of an hour that tell one person about passkeys. */
const MAX_PASSKEY_MAILS = 20

/** No row where the person got as many within the last hour, or is anonymised. */
export const insertPasskeyMail = (
  tx: Tx,
  mail: { id: string; orgId: string; kind: PasskeyMailKind; userId: string; expiresAt: string },
  now: string,
) => tx<{ id: string }[]>`
  insert into organization.mails (id, org_id, kind, user_id, created_at, expires_at)
  select ${mail.id}, ${mail.orgId}, ${mail.kind}, u.id, ${now}, ${mail.expiresAt}
  from organization.users u
  where u.org_id = ${mail.orgId} and u.id = ${mail.userId} and u.kind = 'PERSON' and u.anonymised_at is null
    and (select count(*) from organization.mails m
      where m.org_id = ${mail.orgId} and m.user_id = u.id and m.kind <> 'NOTICE' and m.kind like 'PASSKEY%'
        and m.created_at > ${now}::timestamptz - interval '1 hour') < ${MAX_PASSKEY_MAILS}
  returning id`

export const insertLinkMail = (tx: Tx, mail: LinkMail, now: string) => tx`
  insert into organization.mails
    (id, org_id, kind, address_id, user_id, activation_hash, recipient_hash, secret, created_at, expires_at)
  values (${mail.id}, ${mail.orgId}, ${mail.kind}, ${mail.addressId}, ${mail.userId},
    ${mail.activationHash && Buffer.from(mail.activationHash)}, ${Buffer.from(mail.recipientHash)}, ${mail.secret},
    ${now}, ${mail.expiresAt})`

/** Links to one recipient are counted one after the other, also those of several organizations. */
export const lockRecipient = (tx: Tx, recipientHash: Uint8Array) =>
  lockByName(tx, 'links', Buffer.from(recipientHash).toString('hex'))

/**
 * Links of the last hour: those that an organization caused, those to one recipient, those that are both, and those for
 * which a user or all users of the recipient's mailbox asked.
 */
export const countLinks = (
  tx: Tx,
  { orgId, userId, recipientHash }: { orgId: string; userId: string | null; recipientHash: Uint8Array },
  now: string,
) => tx<[LinkCounts]>`
  with recent as (
    select org_id, user_id, kind from organization.mails
    where registration_id is null and email_invitation_id is null and recipient_hash = ${Buffer.from(recipientHash)} and created_at > ${now}::timestamptz - interval '1 hour')
  select
    (select count(*)::int from organization.mails
      where org_id = ${orgId} and kind not in ('NOTICE', 'FORGOTTEN', 'RFQ_INVITATION') and kind not like 'PASSKEY%'
        and registration_id is null and created_at > ${now}::timestamptz - interval '1 hour') as of_organization,
    count(*) filter (where kind <> 'FORGOTTEN')::int as to_recipient,
    count(*) filter (where org_id = ${orgId} and kind <> 'FORGOTTEN')::int as of_both,
    count(*) filter (where kind = 'FORGOTTEN' and user_id = ${userId})::int as of_user,
    count(*) filter (where kind = 'FORGOTTEN')::int as self_service
  from recent`

/** Mails of the last hour to an applicant. */
export const countApplicantMails = (tx: Tx, recipientHash: Uint8Array, now: string) => tx<[{ to_recipient: number }]>`
  select count(*)::int as to_recipient from organization.mails
  where recipient_hash = ${Buffer.from(recipientHash)} and registration_id is not null
    and created_at > ${now}::timestamptz - interval '1 hour'`

/** Mails of the last hour to all applicants for their requests. Decisions of the operator are not counted. */
export const countMailsToApplicants = (tx: Tx, now: string) => tx<[{ to_all: number }]>`
  select count(*)::int as to_all from organization.mails
  where recipient_hash is not null and kind in ('REGISTRATION', 'REGISTERED')
    and created_at > ${now}::timestamptz - interval '1 hour'`

export const insertApplicantMail = (
  tx: Tx,
  mail: {
    id: string
    orgId: string
    kind: ApplicantMailKind
    registrationId: string
    recipientHash: Uint8Array
    secret: string | null
    expiresAt: string
  },
  now: string,
) => tx`
  insert into organization.mails (id, org_id, kind, registration_id, recipient_hash, secret, created_at, expires_at)
  values (${mail.id}, ${mail.orgId}, ${mail.kind}, ${mail.registrationId}, ${Buffer.from(mail.recipientHash)},
    ${mail.secret}, ${now}, ${mail.expiresAt})`

export interface LinkCounts {
  of_organization: number
  to_recipient: number
  of_both: number
  of_user: number
  self_service: number
}

/** Marks the link of a mail, whose use proves the address. */
export const markMailed = (tx: Tx, activationHash: Uint8Array) => tx`
  update organization.activations set mailed = true where token_hash = ${Buffer.from(activationHash)}`
