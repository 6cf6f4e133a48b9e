-- Manufacturers that are invited to an RFQ by an e-mail address, registered or not.
create table sourcing.email_invitations (
  id text collate "C" primary key,
  -- Null once the draft was deleted. The row counts for the limit of a day.
  rfq_id text collate "C" references sourcing.rfqs (id) on delete set null,
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
  rfq.part_title as title,
  invitation.redeemed_at as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.email_invitations invitation
join sourcing.rfqs rfq on rfq.id = invitation.rfq_id
where invitation.state = 'REDEEMED' and rfq.state in ('DRAFT', 'OPEN');
grant select on sourcing.inbox_email_invitations to marketplace_sourcing;

create or replace view sourcing.waiting_items as
select org_id, 'INVITATION' as kind from sourcing.inbox_invitations
union all select org_id, 'QUESTION' from sourcing.inbox_consumer_questions
union all select org_id, 'QUESTION' from sourcing.inbox_owner_questions where org_id <> consumer_org_id
union all select org_id, 'OUTDATED_OFFER' from sourcing.inbox_outdated_offers
union all select org_id, 'INVITATION_TO_CONFIRM' from sourcing.inbox_email_invitations
union all select org_id, 'OFFERS_TO_COMPARE' from sourcing.inbox_closed_rfqs
union all select org_id, 'OFFERS_TO_COMPARE' from sourcing.inbox_offered_rfqs
union all select org_id, 'PART_CHANGED' from sourcing.inbox_changed_parts
union all select org_id, 'FILES_TO_RELEASE' from sourcing.inbox_unreleased_rfqs
union all select org_id, 'FILES_TO_RELEASE' from sourcing.inbox_unreleased_orders
union all select org_id, 'ORDER_TO_CONFIRM' from sourcing.inbox_placed_orders
union all select org_id, 'DOCUMENTS_MISSING' from sourcing.inbox_undocumented_orders
union all select org_id, 'SHIPMENT_TO_RECEIVE' from sourcing.inbox_shipments
union all select org_id, 'REMAKE_TO_DECIDE' from sourcing.inbox_remakes
union all select org_id, 'REJECTION_TO_ANSWER' from sourcing.inbox_rejections
union all select org_id, 'CHANGE_TO_DECIDE' from sourcing.inbox_changes_by_manufacturers
union all select org_id, 'CHANGE_TO_DECIDE' from sourcing.inbox_changes_by_consumers
union all select org_id, 'OFFER_TO_REINSTATE' from sourcing.inbox_lost_offers
union all select org_id, 'QUANTITY_MISSING' from sourcing.inbox_missing_quantities
union all select org_id, 'AGREEMENT_TO_ACCEPT' from sourcing.inbox_agreements_of_sellers
union all select org_id, 'AGREEMENT_TO_ACCEPT' from sourcing.inbox_agreements_of_manufacturers
union all select org_id, 'TASK' from sourcing.inbox_tasks_of_organizations
union all select org_id, 'TASK' from sourcing.inbox_tasks_of_users
union all select org_id, 'EXPENSE_TO_DECIDE' from sourcing.inbox_expenses_of_others
union all select org_id, 'EXPENSE_TO_DECIDE' from sourcing.inbox_own_expenses
union all select org_id, 'UNREAD_MESSAGES' from sourcing.inbox_unread_cases
union all select org_id, 'SUBSCRIPTION_REQUEST' from sourcing.inbox_subscription_requests;
