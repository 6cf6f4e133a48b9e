create table sourcing.rfqs (
  id text collate "C" primary key,
  serial_number text collate "C" not null unique,
  -- The column is no foreign key, because the RFQ remains when its part is deleted.
  part_id text collate "C" not null,
  -- Searches of the consumer use the last title that the consumer could read, searches of the IP owner the present one.
  -- A worker refreshes both after an event of the part.
  part_title text,
  owner_part_title text,
  part_serial_number text collate "C" not null,
  consumer_org_id text not null,
  ip_owner_org_id text not null,
  state text not null check (state in ('DRAFT', 'OPEN', 'CLOSED', 'AWARDED', 'CANCELLED')),
  -- The terms that the consumer writes and every reader sees, as in the contract. A further term needs no column.
  terms json not null,
  sealed boolean not null generated always as (coalesce((terms ->> 'sealed')::boolean, false)) stored,
  manufacturer_ids text[] not null,
  expires_at timestamptz(3) not null,
  -- Whether a worker has seen that the expiry has passed. It is a column, so that an index can omit expired RFQs.
  expired boolean not null default false,
  awarded_offer_ids text[] not null default '{}',
  cancel_reason text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- The time of the first publication. Before it, only the consumer sees the RFQ.
  published_at timestamptz(3),
  check (published_at is not null or state in ('DRAFT', 'CANCELLED')),
  check ((state = 'CANCELLED') = (cancel_reason is not null)),
  -- The public JSON of the RFQ for its consumer and IP owner, built on write.
  document text not null
);

-- One index for each view and filter, so that the time of a list depends neither on the number of RFQs of the
-- organization nor on those of others.
create index rfqs_consumed on sourcing.rfqs (consumer_org_id, id desc);
create index rfqs_consumed_states on sourcing.rfqs (consumer_org_id, state, id desc);
create index rfqs_consumed_parts on sourcing.rfqs (consumer_org_id, part_id, id desc);
create index rfqs_consumed_no_drafts on sourcing.rfqs (consumer_org_id, id desc) where state <> 'DRAFT';
create index rfqs_consumed_live on sourcing.rfqs (consumer_org_id, id desc) where not expired;
create index rfqs_owned on sourcing.rfqs (ip_owner_org_id, id desc) where published_at is not null;
create index rfqs_owned_states on sourcing.rfqs (ip_owner_org_id, state, id desc) where published_at is not null;
create index rfqs_owned_parts on sourcing.rfqs (ip_owner_org_id, part_id, id desc) where published_at is not null;
create index rfqs_owned_live on sourcing.rfqs (ip_owner_org_id, id desc) where published_at is not null and not expired;
-- The organization is an expression, so that a statement can choose this index. The planner would choose by the average
-- organization.
create index rfqs_consumed_search on sourcing.rfqs using gin ((consumer_org_id || ''), part_title gin_trgm_ops);
create index rfqs_owned_search on sourcing.rfqs using gin ((ip_owner_org_id || ''), owner_part_title gin_trgm_ops)
  where published_at is not null;
-- Finds RFQs by the serial number of their part.
create index rfqs_part_serial on sourcing.rfqs (part_serial_number);
-- The deletion of a part looks for its open RFQs, and a new title is copied to all of its RFQs.
create index rfqs_part on sourcing.rfqs (part_id, state);
create index rfqs_of_part on sourcing.rfqs (part_id, id);
-- The worker of expiries reads this index.
create index rfqs_due on sourcing.rfqs (expires_at) where not expired;

-- An invited manufacturer of a published RFQ. The columns of the RFQ are repeated, so that a list reads this table
-- alone.
create table sourcing.rfq_invitations (
  rfq_id text collate "C" not null references sourcing.rfqs (id) on delete cascade,
  org_id text not null,
  state text not null default 'INVITED' check (state in ('INVITED', 'READ', 'DECLINED', 'OFFERED')),
  reason text,
  invited_at timestamptz(3) not null,
  read_at timestamptz(3),
  declined_at timestamptz(3),
  offered_at timestamptz(3),
  part_id text collate "C" not null,
  -- The last title that the manufacturer could read.
  part_title text,
  rfq_state text not null,
  -- The awarded offers of this manufacturer.
  awarded_offer_ids text[] not null default '{}',
  expires_at timestamptz(3) not null,
  expired boolean not null,
  -- The public JSON of the RFQ for this manufacturer.
  document text not null,
  -- The public JSON of the invitation for the consumer.
  invitation_document text not null,
  primary key (org_id, rfq_id)
);
create index rfq_invitations_states on sourcing.rfq_invitations (org_id, rfq_state, rfq_id desc);
create index rfq_invitations_parts on sourcing.rfq_invitations (org_id, part_id, rfq_id desc);
-- The invitations by which a manufacturer reads a part.
create index rfq_invitations_readable on sourcing.rfq_invitations (org_id, part_id)
  where state <> 'DECLINED' and (rfq_state in ('OPEN', 'CLOSED') or awarded_offer_ids <> '{}');
create index rfq_invitations_live on sourcing.rfq_invitations (org_id, rfq_id desc) where not expired;
create index rfq_invitations_search on sourcing.rfq_invitations using gin ((org_id || ''), part_title gin_trgm_ops);
create index rfq_invitations_of_rfq on sourcing.rfq_invitations (rfq_id, invited_at desc, org_id desc);

-- The only code that builds the JSON of an RFQ. The lists of manufacturers and of awarded offers are those that the
-- reader may see.
create function sourcing.rfq_document(rfq sourcing.rfqs, manufacturer_ids text[], awarded_offer_ids text[]) returns text
language sql stable parallel safe
return concat(
  '{"id":', to_json(rfq.id),
  ',"serialNumber":', to_json(rfq.serial_number),
  ',"consumerOrgId":', to_json(rfq.consumer_org_id),
  ',"ipOwnerOrgId":', to_json(rfq.ip_owner_org_id),
  ',"state":', to_json(rfq.state),
  ',"partId":', to_json(rfq.part_id),
  ',"expireTime":', to_json(sourcing.api_time(rfq.expires_at)),
  sourcing.fields_of(rfq.terms),
  ',"manufacturerIds":', to_json(rfq_document.manufacturer_ids),
  ',"awardedOfferIds":', to_json(rfq_document.awarded_offer_ids),
  ',"reason":' || to_json(rfq.cancel_reason)::text,
  ',"createdTime":', to_json(sourcing.api_time(rfq.created_at)),
  ',"updatedTime":', to_json(sourcing.api_time(rfq.updated_at)),
  '}');

create function sourcing.write_rfq_document() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.expires_at <> old.expires_at then
    new.expired := false;
  end if;
  new.document := sourcing.rfq_document(new, new.manufacturer_ids, new.awarded_offer_ids);
  return new;
end $$;

create trigger rfq_document before insert or update on sourcing.rfqs
  for each row execute function sourcing.write_rfq_document();

-- Fills the columns of the RFQ, and builds both documents.
create function sourcing.write_invitation_documents() returns trigger
language plpgsql as $$
declare
  rfq sourcing.rfqs;
begin
  if tg_op = 'INSERT' then
    rfq := (select r from sourcing.rfqs r where r.id = new.rfq_id);
    new.part_id := rfq.part_id;
    new.part_title := rfq.part_title;
    new.rfq_state := rfq.state;
    new.expires_at := rfq.expires_at;
    new.expired := rfq.expired;
    new.document := sourcing.rfq_document(rfq, array[new.org_id], new.awarded_offer_ids);
  end if;
  new.invitation_document := concat(
    '{"manufacturerOrgId":', to_json(new.org_id),
    ',"state":', to_json(new.state),
    ',"reason":' || to_json(new.reason)::text,
    ',"invitedTime":', to_json(sourcing.api_time(new.invited_at)),
    ',"readTime":' || to_json(sourcing.api_time(new.read_at))::text,
    ',"declinedTime":' || to_json(sourcing.api_time(new.declined_at))::text,
    ',"offeredTime":' || to_json(sourcing.api_time(new.offered_at))::text,
    '}');
  return new;
end $$;

create trigger invitation_documents before insert or update on sourcing.rfq_invitations
  for each row execute function sourcing.write_invitation_documents();

-- Passes a change of an RFQ on to its invitations. A change of `manufacturer_ids` alone is not passed on: otherwise the
-- new `updatedTime` would show a manufacturer that a competitor was invited.
create function sourcing.update_invitations() returns trigger
language plpgsql as $$
begin
  update sourcing.rfq_invitations i set
    rfq_state = new.state, expires_at = new.expires_at, expired = new.expired,
    document = case
      when row(new.state, new.expires_at, new.awarded_offer_ids)
        is distinct from row(old.state, old.expires_at, old.awarded_offer_ids)
      then sourcing.rfq_document(new, array[i.org_id], i.awarded_offer_ids) else i.document end
  where i.rfq_id = new.id;
  return null;
end $$;

create trigger rfq_invitations after update on sourcing.rfqs
  for each row
  when (row(new.state, new.expires_at, new.expired, new.awarded_offer_ids)
    is distinct from row(old.state, old.expires_at, old.expired, old.awarded_offer_ids))
  execute function sourcing.update_invitations();

-- The parts whose title is being copied to their RFQs. A part can have many, so a copy is many short transactions, and
-- continues after the last RFQ. The part that waits longest is next.
create table sourcing.title_refreshes (
  part_id text collate "C" primary key,
  -- The last RFQ that has the title.
  last_id text collate "C" not null,
  waits_since timestamptz not null
);
create index title_refreshes_next on sourcing.title_refreshes (waits_since);

grant select, insert, update, delete on sourcing.rfqs, sourcing.rfq_invitations, sourcing.title_refreshes to marketplace_sourcing;
