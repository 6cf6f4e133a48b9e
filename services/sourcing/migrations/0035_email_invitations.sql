-- Manufacturers that are invited to an RFQ by an e-mail address, registered or not.
create table sourcing.email_invitations (
  id text collate "C" primary key,
  rfq_id text collate "C" not null references sourcing.rfqs (id) on delete cascade,
  -- The consumer.
  org_id text not null,
  email text not null,
  email_key text collate "C" not null,
  state text not null check (state in ('PENDING', 'REDEEMED', 'CONFIRMED', 'REVOKED')),
  -- The organization that used the link.
  redeemed_by_org_id text,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  redeemed_at timestamptz(3),
  decided_at timestamptz(3),
  check ((redeemed_by_org_id is null) = (redeemed_at is null)),
  check (state not in ('REDEEMED', 'CONFIRMED') or redeemed_at is not null),
  check ((state in ('CONFIRMED', 'REVOKED')) = (decided_at is not null))
);
create unique index email_invitations_live on sourcing.email_invitations (rfq_id, email_key)
  where state in ('PENDING', 'REDEEMED');
create index email_invitations_of_rfqs on sourcing.email_invitations (rfq_id, id desc);
create index email_invitations_of_organizations on sourcing.email_invitations (org_id, created_at);
create index email_invitations_ended on sourcing.email_invitations ((coalesce(decided_at, expires_at)));
create index email_invitations_to_confirm on sourcing.email_invitations (org_id, redeemed_at desc, id desc)
  where state = 'REDEEMED';
grant select, insert, update, delete on sourcing.email_invitations to marketplace_sourcing;

-- The addresses to which the service of organizations mails links.
create view sourcing.email_invitation_mails as
select invitation.id, invitation.org_id, invitation.email, invitation.expires_at, rfq.serial_number
from sourcing.email_invitations invitation
join sourcing.rfqs rfq on rfq.id = invitation.rfq_id
where invitation.state = 'PENDING' and rfq.state in ('DRAFT', 'OPEN');
grant select on sourcing.email_invitation_mails to marketplace_organization;

-- Organizations that used a link and wait to be confirmed.
create view sourcing.inbox_email_invitations as
select invitation.org_id, invitation.id as record_id, invitation.rfq_id as parent_id,
  (select part_title from sourcing.rfqs where id = invitation.rfq_id) as title,
  invitation.redeemed_at as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.email_invitations invitation where invitation.state = 'REDEEMED';
grant select on sourcing.inbox_email_invitations to marketplace_sourcing;
