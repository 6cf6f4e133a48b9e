-- Packages: RFQs for many parts that are published, compared and awarded together.
create table sourcing.rfq_packages (
  id text collate "C" primary key,
  consumer_org_id text not null,
  title text not null,
  -- The currency of every line.
  currency text not null,
  created_by text collate "C" not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index rfq_packages_consumed on sourcing.rfq_packages (consumer_org_id, id desc);

-- The ids of the lines have the order of the request that created them.
alter table sourcing.rfqs add column package_id text collate "C" references sourcing.rfq_packages (id);
create index rfqs_of_package on sourcing.rfqs (package_id, consumer_org_id, id) where package_id is not null;
alter table sourcing.rfq_invitations add column package_id text collate "C";
create index rfq_invitations_packages on sourcing.rfq_invitations (org_id, package_id desc, rfq_id)
  where package_id is not null;

-- An IP owner that is not invited does not read the package, because it may have parts of others.
create or replace function sourcing.rfq_document(
  rfq sourcing.rfqs, manufacturer_ids text[], awarded_offer_ids text[], reader text
) returns text
language sql stable parallel safe
return concat(
  '{"id":', to_json(rfq.id),
  ',"serialNumber":', to_json(rfq.serial_number),
  ',"consumerOrgId":', to_json(rfq.consumer_org_id),
  ',"ipOwnerOrgId":', to_json(rfq.ip_owner_org_id),
  ',"state":', to_json(rfq.state),
  ',"partId":', to_json(rfq.part_id),
  ',"partRevision":' || rfq.part_revision,
  ',"expireTime":', to_json(sourcing.api_time(rfq.expires_at)),
  case reader when 'CONSUMER' then sourcing.fields_of(rfq.terms) else sourcing.shared_terms(rfq.terms) end,
  ',"manufacturerIds":', to_json(rfq_document.manufacturer_ids),
  ',"awardedOfferIds":', to_json(rfq_document.awarded_offer_ids),
  ',"version":' || rfq.version,
  case when reader <> 'IP_OWNER' or rfq.ip_owner_org_id = any (rfq.manufacturer_ids)
    then ',"packageId":' || to_json(rfq.package_id)::text end,
  ',"amendmentReason":' || to_json(rfq.amendment_reason)::text,
  case when reader <> 'INVITEE' and rfq.part_changed and rfq.state = 'OPEN' then ',"partChanged":true' end,
  case when reader = 'CONSUMER' and rfq.version is not null then ',"unansweredQuestions":' || rfq.unanswered_questions end,
  ',"reason":' || to_json(rfq.cancel_reason)::text,
  ',"createdTime":', to_json(sourcing.api_time(rfq.created_at)),
  ',"updatedTime":', to_json(sourcing.api_time(rfq.updated_at)),
  '}');

-- The package of an RFQ never changes. That the IP owner may read it once it is invited is no change of the RFQ.
create or replace function sourcing.record_rfq_history() returns trigger
language plpgsql security definer set search_path = pg_catalog, sourcing, pg_temp as $$
declare
  kind text := case tg_op when 'INSERT' then 'CREATE' else tg_op end;
  ignored text[] := '{updatedTime,partChanged,unansweredQuestions,packageId}';
  before json := case when tg_op = 'INSERT' then '{}' else old.consumer_document end;
  party_before json := case when tg_op = 'INSERT' then '{}' else old.document end;
  changes text;
  party_changes text;
begin
  if tg_op = 'UPDATE' and new.version > old.version then
    before := sourcing.without_field(before, 'amendmentReason');
    party_before := sourcing.without_field(party_before, 'amendmentReason');
  end if;
  changes := sourcing.field_changes(before, case tg_op when 'DELETE' then '{}' else new.consumer_document end::json, ignored);
  if changes is null then
    return null;
  elsif tg_op = 'DELETE' or new.published_at is null then
    perform sourcing.add_history(coalesce(new.id, old.id), kind, changes);
  elsif old.published_at is null then
    party_changes := sourcing.field_changes('{}', sourcing.published_fields(new), ignored);
    perform sourcing.add_history(new.id, kind, changes, 'CREATE', party_changes);
  else
    party_changes := sourcing.field_changes(party_before, new.document::json, ignored);
    perform sourcing.add_history(new.id, kind, changes, case when party_changes is not null then kind end, party_changes);
  end if;
  return null;
end $$;

-- Mails name the package instead of each of its RFQs, for all but the IP owner.
create or replace view sourcing.rfq_readers as
select id as rfq_id, consumer_org_id as org_id, 'CONSUMER' as role, rfq.serial_number,
  coalesce(pinned.content ->> 'title', part_title) as title, expires_at, package_id
from sourcing.rfqs rfq
left join sourcing.part_revisions pinned on pinned.part_id = rfq.part_id and pinned.revision = rfq.part_revision
where rfq.published_at is not null
union all
select id, ip_owner_org_id, 'IP_OWNER', serial_number, owner_part_title, expires_at, null
from sourcing.rfqs where published_at is not null
union all
select r.id, i.org_id, 'MANUFACTURER', r.serial_number,
  case when i.state = 'DECLINED' then i.part_title else coalesce(pinned.content ->> 'title', i.part_title) end, r.expires_at,
  i.package_id
from sourcing.rfq_invitations i
join sourcing.rfqs r on r.id = i.rfq_id
left join sourcing.part_revisions pinned on pinned.part_id = r.part_id and pinned.revision = r.part_revision;

-- The packages that an organization reads, with the number of its lines and the last expiry of those that are open.
create view sourcing.package_readers as
select p.id as package_id, p.consumer_org_id as org_id, 'CONSUMER' as role, p.title,
  (select count(*)::integer from sourcing.rfqs r where r.package_id = p.id and r.published_at is not null) as lines,
  (select max(r.expires_at) from sourcing.rfqs r where r.package_id = p.id and r.state = 'OPEN') as expires_at
from sourcing.rfq_packages p
union all
select i.package_id, i.org_id, 'MANUFACTURER', p.title, i.lines, i.expires_at
from sourcing.rfq_packages p
join (
  select package_id, org_id, count(*) filter (where state <> 'DECLINED')::integer as lines,
    max(expires_at) filter (where rfq_state = 'OPEN' and state <> 'DECLINED') as expires_at
  from sourcing.rfq_invitations where package_id is not null group by package_id, org_id
) i on i.package_id = p.id;

grant select, insert, update, delete on sourcing.rfq_packages to marketplace_sourcing;
grant select on sourcing.package_readers to marketplace_organization;
