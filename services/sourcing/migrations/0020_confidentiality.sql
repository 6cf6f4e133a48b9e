-- Confidentiality: until an invited manufacturer has accepted the terms of an RFQ, it reads only an outline. The IP owner
-- releases the files of the group `ip` for quoting.

-- It remains when the RFQ ends, and when the invitation is declined.
create table sourcing.rfq_acceptances (
  rfq_id text collate "C" not null references sourcing.rfqs (id) on delete cascade,
  org_id text not null,
  accepted_at timestamptz(3) not null,
  -- SHA-256 of the text that was accepted, in hexadecimal digits.
  terms_sha256 text not null,
  -- Read by the organization alone. Both are null once the user is anonymised.
  user_id text,
  ip_address text,
  primary key (rfq_id, org_id)
);
create index rfq_acceptances_newest on sourcing.rfq_acceptances (rfq_id, accepted_at desc, org_id desc);
create index rfq_acceptances_users on sourcing.rfq_acceptances (user_id) where user_id is not null;

-- A manufacturer that may read the files of the group `ip` once it has accepted the terms. The row is removed by a
-- withdrawal; a decline and the end of the RFQ set `ended_at`. Reads also compare the state of the RFQ and the time.
create table sourcing.rfq_file_releases (
  rfq_id text collate "C" not null references sourcing.rfqs (id) on delete cascade,
  org_id text not null,
  released_at timestamptz(3) not null,
  -- The revision whose files are released. An amendment by a consumer that is not the IP owner releases no other one.
  part_revision integer not null,
  ended_at timestamptz(3),
  primary key (org_id, rfq_id)
);
create index rfq_file_releases_of_rfq on sourcing.rfq_file_releases (rfq_id);

-- Whether the manufacturer still has to accept the terms.
alter table sourcing.rfq_invitations add column awaits_acceptance boolean not null default false;

-- The fields of an RFQ that a manufacturer reads before it accepts the terms: the required ones, and the terms.
create function sourcing.rfq_outline_fields() returns text[]
language sql immutable parallel safe
return array['id', 'serialNumber', 'consumerOrgId', 'ipOwnerOrgId', 'state', 'partId', 'expireTime', 'currency',
  'deliveryRegionCode', 'quantities', 'manufacturerIds', 'confidentialityTerms', 'sealed', 'awardedOfferIds',
  'createdTime', 'updatedTime'];

-- The JSON of an RFQ with these fields alone. A field that is added later is not among them.
create function sourcing.rfq_outline(document text) returns text
language sql immutable parallel safe
return (
  select concat('{', string_agg(concat(to_json(key), ':', value), ',' order by place), '}')
  from json_each(document::json) with ordinality d (key, value, place)
  where key = any (sourcing.rfq_outline_fields()));

-- Follows the trigger that builds the documents, because its name sorts later.
create function sourcing.write_invitation_outline() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.awaits_acceptance := exists (
      select from sourcing.rfqs where id = new.rfq_id and terms ->> 'confidentialityTerms' is not null
    ) and not exists (
      select from sourcing.rfq_acceptances where rfq_id = new.rfq_id and org_id = new.org_id);
  end if;
  if new.awaits_acceptance then
    new.document := sourcing.rfq_outline(new.document);
    -- A change of other fields does not show in the time of the last change.
    if tg_op = 'UPDATE' and sourcing.without_field(new.document::json, 'updatedTime')::text
      = sourcing.without_field(old.document::json, 'updatedTime')::text then
      new.document := old.document;
    end if;
  end if;
  return new;
end $$;

create trigger invitation_outline before insert or update on sourcing.rfq_invitations
  for each row execute function sourcing.write_invitation_outline();

-- The type of a material of the catalog, whose migrations may run later.
create function sourcing.material_type_of(material text) returns text
language plpgsql stable parallel safe as $$
begin
  return (select type from catalog.material_lookup where code = material);
end $$;

-- The JSON of a part as a manufacturer reads it before it accepts the terms: title, material type and process, and the
-- required fields, whose lists are empty.
create function sourcing.part_outline(part json) returns text
language sql stable parallel safe
return concat(
  '{"id":', part -> 'id',
  ',"serialNumber":', part -> 'serialNumber',
  ',"ipOwnerOrgId":', part -> 'ipOwnerOrgId',
  ',"state":', part -> 'state',
  ',"title":' || (part -> 'title')::text,
  ',"materialType":' || to_json(coalesce(sourcing.material_type_of(part ->> 'materialId'), part ->> 'materialType'))::text,
  ',"processId":' || (part -> 'processId')::text,
  ',"requireSubscription":', part -> 'requireSubscription',
  ',"internal":', part -> 'internal',
  ',"standardIds":[],"criticalityIds":[],"categoryIds":[],"unspscCategoryIds":[],"keywords":[],"metadata":{}',
  ',"technologyIds":', part -> 'technologyIds',
  ',"revision":', part -> 'revision',
  ',"createdTime":', part -> 'createdTime',
  ',"updatedTime":', part -> 'updatedTime',
  '}');

-- An entry of the history of an RFQ with the changes that an organization may read: of the fields, all where there are
-- none, and of the acceptances its own. Null if no change is left.
create function sourcing.readable_entry(entry text, org_id text, fields text[]) returns text
language sql immutable parallel safe
return (
  select concat('{"id":', to_json(entry::json ->> 'id'), ',"kind":', to_json(entry::json ->> 'kind'),
    ',"timestamp":', to_json(entry::json ->> 'timestamp'), ',"changes":[',
    string_agg(change::text, ',' order by place), ']}')
  from json_array_elements(entry::json -> 'changes') with ordinality c (change, place)
  where case when change ->> 'field' like 'acceptances.%' then split_part(change ->> 'field', '.', 2) = readable_entry.org_id
    else fields is null or change ->> 'field' = any (fields) end
  having count(*) > 0);

-- A change of an acceptance in the history of its RFQ.
create function sourcing.acceptance_change(org_id text, field text, side text, at timestamptz) returns text
language sql immutable parallel safe
return concat('{"field":', to_json(concat('acceptances.', org_id, '.', field)), ',"', side, '":',
  to_json(sourcing.api_time(at)), '}');

create function sourcing.record_acceptance_history() returns trigger
language plpgsql security definer set search_path = pg_catalog, sourcing, pg_temp as $$
declare
  released timestamptz := (
    select r.released_at from sourcing.rfq_file_releases r
    where r.rfq_id = new.rfq_id and r.org_id = new.org_id and r.ended_at is null);
  changes text := concat_ws(',',
    sourcing.acceptance_change(new.org_id, 'acceptedTime', 'after', new.accepted_at),
    case when released is not null
      then sourcing.acceptance_change(new.org_id, 'filesReleasedTime', 'after', released) end);
begin
  perform sourcing.add_history(new.rfq_id, 'UPDATE', concat('[', changes, ']'), 'UPDATE', concat('[', changes, ']'));
  return null;
end $$;

create trigger acceptance_history after insert on sourcing.rfq_acceptances
  for each row execute function sourcing.record_acceptance_history();

-- The history has a release once the manufacturer has accepted the terms. The end of the RFQ is no change of its own.
create function sourcing.record_release_history() returns trigger
language plpgsql security definer set search_path = pg_catalog, sourcing, pg_temp as $$
declare
  release sourcing.rfq_file_releases := case tg_op when 'DELETE' then old else new end;
  changes text := concat('[', sourcing.acceptance_change(release.org_id, 'filesReleasedTime',
    case tg_op when 'DELETE' then 'before' else 'after' end, release.released_at), ']');
begin
  if release.ended_at is null and exists (
    select from sourcing.rfq_acceptances a where a.rfq_id = release.rfq_id and a.org_id = release.org_id
  ) then
    perform sourcing.add_history(release.rfq_id, 'UPDATE', changes, 'UPDATE', changes);
  end if;
  return null;
end $$;

create trigger release_history after insert or delete or update of released_at on sourcing.rfq_file_releases
  for each row execute function sourcing.record_release_history();

revoke all on function sourcing.record_acceptance_history(), sourcing.record_release_history() from public;

-- A consumer that is the IP owner releases the files of the revision to which it amends the RFQ.
create function sourcing.follow_revision() returns trigger
language plpgsql as $$
begin
  update sourcing.rfq_file_releases set part_revision = new.part_revision
  where rfq_id = new.id and ended_at is null;
  return null;
end $$;

create trigger rfq_released_revision after update on sourcing.rfqs
  for each row
  when (new.part_revision is distinct from old.part_revision and new.consumer_org_id = new.ip_owner_org_id)
  execute function sourcing.follow_revision();

-- How long a release lasts after the end of the time for offers.
create function sourcing.release_ends_at(state text, state_since timestamptz, expires_at timestamptz) returns timestamptz
language sql immutable parallel safe
return case state when 'OPEN' then expires_at when 'CLOSED' then least(state_since, expires_at) end + interval '30 days';

-- A release that has ended stays ended when the RFQ is opened again. The winners keep theirs.
create function sourcing.end_file_releases() returns trigger
language plpgsql as $$
begin
  update sourcing.rfq_file_releases release set ended_at = new.updated_at
  where release.rfq_id = new.id and release.ended_at is null and (
    new.state = 'CANCELLED' or old.state = 'AWARDED'
    or sourcing.release_ends_at(old.state, old.state_since, old.expires_at) <= new.updated_at
    or new.state = 'AWARDED' and not exists (
      select from sourcing.offers
      where id = any (new.awarded_offer_ids) and manufacturer_org_id = release.org_id));
  return null;
end $$;

create trigger rfq_file_releases after update on sourcing.rfqs
  for each row when (new.state <> old.state) execute function sourcing.end_file_releases();

create function sourcing.end_file_release() returns trigger
language plpgsql as $$
begin
  update sourcing.rfq_file_releases set ended_at = new.declined_at
  where rfq_id = new.rfq_id and org_id = new.org_id and ended_at is null;
  return null;
end $$;

create trigger invitation_file_release after update on sourcing.rfq_invitations
  for each row when (new.state = 'DECLINED' and old.state <> 'DECLINED') execute function sourcing.end_file_release();

-- The RFQs that keep their part internal.
create index rfqs_confidential on sourcing.rfqs (part_id)
  where state in ('OPEN', 'CLOSED') and terms ->> 'confidentialityTerms' is not null;

grant select, insert, update, delete on sourcing.rfq_acceptances, sourcing.rfq_file_releases to marketplace_sourcing;
