import type { Tx } from '../../kit/db/client.ts'
import { lockByName } from '../../kit/db/locks.ts'

/** A mail to an applicant. */
export type ApplicantMailKind = 'REGISTRATION' | 'REGISTERED' | 'REJECTION'

export type PasskeyMailKind = 'PASSKEY_ADDED' | 'PASSKEY_REMOVED' | 'PASSKEYS_RESET'

/** A mail without items. */
export interface NewMail {
  kind: 'CONFIRMATION' | 'INVITATION' | 'RESET' | 'FORGOTTEN' | 'RFQ_INVITATION' | ApplicantMailKind | PasskeyMailKind
  orgId: string
  addressId?: string | undefined
  userId?: string | undefined
  registrationId?: string | undefined
  emailInvitationId?: string | undefined
  activationHash?: Uint8Array | undefined
  recipientHash?: Uint8Array | undefined
  secret?: string | undefined
}

const bytes = (hash: Uint8Array | undefined) => (hash ? Buffer.from(hash) : null)

export const insertMail = (tx: Tx, mail: NewMail & { id: string; expiresAt: string }, now: string) => tx`
  insert into organization.mails (id, org_id, kind, address_id, user_id, registration_id, email_invitation_id,
    activation_hash, recipient_hash, secret, created_at, expires_at)
  values (${mail.id}, ${mail.orgId}, ${mail.kind}, ${mail.addressId ?? null}, ${mail.userId ?? null},
    ${mail.registrationId ?? null}, ${mail.emailInvitationId ?? null}, ${bytes(mail.activationHash)},
    ${bytes(mail.recipientHash)}, ${mail.secret ?? null}, ${now}, ${mail.expiresAt})`

/** Mails of the last hour that told a person about passkeys. No row for an anonymised person. */
export const countPasskeyMails = (tx: Tx, { orgId, userId }: { orgId: string; userId: string }, now: string) => tx<
  { to_person: number }[]
>`
  select (
    select count(*)::int from organization.mails m
    where m.org_id = u.org_id and m.user_id = u.id and m.kind <> 'NOTICE' and m.kind like 'PASSKEY%'
      and m.created_at > ${now}::timestamptz - interval '1 hour') as to_person
  from organization.users u
  where u.org_id = ${orgId} and u.id = ${userId} and u.kind = 'PERSON' and u.anonymised_at is null`

/** Links to one recipient are counted one after the other, also those of several organizations. */
export const lockRecipient = (tx: Tx, recipientHash: Uint8Array) =>
  lockByName(tx, 'links', Buffer.from(recipientHash).toString('hex'))

/**
 * Links of the last hour: those that an organization caused, those to one recipient, those that are both, and those for
 * which a user or all users of the recipient's mailbox asked.
 */
export const countLinks = (
  tx: Tx,
  { orgId, userId, recipientHash }: { orgId: string; userId: string | undefined; recipientHash: Uint8Array },
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
    count(*) filter (where kind = 'FORGOTTEN' and user_id = ${userId ?? null})::int as of_user,
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
