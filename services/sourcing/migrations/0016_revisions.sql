-- Revisions: publishing or amending an RFQ pins the revision of its part. RFQ, offer and order name the pinned revision,
-- whose content and list of files are kept.

create function sourcing.part_document(part sourcing.parts) returns text
language sql immutable parallel safe
return concat(
  '{"id":', to_json(part.id),
  ',"serialNumber":', to_json(part.serial_number),
  ',"ipOwnerOrgId":', to_json(part.ip_owner_org_id),
  ',"state":', to_json(part.state),
  sourcing.fields_of(part.content),
  ',"technologyIds":', to_json(part.technology_ids),
  ',"previewFileId":' || to_json(part.preview_file_id)::text,
  ',"revision":', part.revision,
  ',"createdTime":', to_json(sourcing.api_time(part.created_at)),
  ',"updatedTime":', to_json(sourcing.api_time(part.updated_at)),
  ',"publishedTime":' || to_json(sourcing.api_time(part.published_at))::text,
  '}');

-- The public JSON of a part with the fields that only its IP owner sees.
create function sourcing.owner_part_document(part sourcing.parts, document text) returns text
language sql immutable parallel safe
return concat(left(document, -1),
  ',"businessUnitIds":', to_json(part.business_unit_ids), ',"customFields":', part.custom_fields, '}');

create or replace function sourcing.write_part_documents() returns trigger
language plpgsql as $$
begin
  new.document := sourcing.part_document(new);
  new.owner_document := sourcing.owner_part_document(new, new.document);
  return new;
end $$;

-- A file that its IP owner removed, and that a pinned revision lists. It is no file of later revisions.
alter table sourcing.files add column removed_at timestamptz(3);
create index files_removed on sourcing.files (part_id) where removed_at is not null;
-- Pinned files remain when their part is deleted.
alter table sourcing.files drop constraint files_part_id_fkey;

create or replace function sourcing.record_file_history() returns trigger
language plpgsql security definer set search_path = pg_catalog, sourcing, pg_temp as $$
declare
  file_id text := coalesce(new.id, old.id);
  part text := coalesce(new.part_id, old.part_id);
  changes text := sourcing.field_changes(
    case when tg_op = 'INSERT' or old.removed_at is not null then '{}' else sourcing.file_fields(old) end,
    case when tg_op = 'DELETE' or new.removed_at is not null then '{}' else sourcing.file_fields(new) end,
    '{}', 'files.' || file_id || '.');
begin
  if changes is not null and exists (select from sourcing.parts where id = part) then
    perform sourcing.add_history(part, 'UPDATE', changes);
  end if;
  return null;
end $$;

-- One row for each pinned revision of a part. It remains when the part is deleted.
create table sourcing.part_revisions (
  part_id text collate "C" not null,
  revision integer not null,
  serial_number text collate "C" not null,
  ip_owner_org_id text not null,
  content json not null,
  business_unit_ids text[] not null,
  custom_fields jsonb not null,
  technology_ids text[] not null,
  preview_file_id text,
  -- The files of the part at this revision, newest first.
  file_ids text[] not null,
  -- The times of the part.
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  published_at timestamptz(3),
  -- The first pin of this revision.
  pinned_at timestamptz(3) not null,
  -- When the clean-up checks next whether something still needs the revision.
  due_at timestamptz(3) not null,
  primary key (part_id, revision)
);
create index part_revisions_due on sourcing.part_revisions (due_at);
create index part_revisions_owned on sourcing.part_revisions (ip_owner_org_id, part_id, revision desc);

-- A JSON object with another value of a field, which is added where it is missing. The texts of other values stay.
create function sourcing.with_field(object json, field text, value json) returns json
language sql immutable parallel safe
return (
  select concat('{', string_agg(concat(to_json(key), ':', fields.value), ',' order by place), '}')::json
  from (
    select key, case key when field then with_field.value::text else o.value::text end as value, place
    from json_each(object) with ordinality o (key, value, place)
    union all select field, with_field.value::text, null where object -> field is null
  ) fields);

-- A JSON object without a field. The texts of the other values stay.
create function sourcing.without_field(object json, field text) returns json
language sql immutable strict parallel safe
return (
  select concat('{', string_agg(concat(to_json(key), ':', value), ',' order by place), '}')::json
  from json_each(object) with ordinality o (key, value, place) where key <> field);

-- The part as it was at a revision. `state` and `internal` are current; a deleted part counts as ARCHIVED.
create function sourcing.part_at(pinned sourcing.part_revisions, part sourcing.parts) returns sourcing.parts
language plpgsql immutable parallel safe as $$
begin
  if part.id is null then
    part.id := pinned.part_id;
    part.serial_number := pinned.serial_number;
    part.ip_owner_org_id := pinned.ip_owner_org_id;
    part.state := 'ARCHIVED';
    part.internal := coalesce((pinned.content ->> 'internal')::boolean, false);
  end if;
  part.content := pinned.content;
  if coalesce((pinned.content ->> 'internal')::boolean, false) <> part.internal then
    part.content := sourcing.with_field(pinned.content, 'internal', to_json(part.internal));
  end if;
  part.business_unit_ids := pinned.business_unit_ids;
  part.custom_fields := pinned.custom_fields;
  part.technology_ids := pinned.technology_ids;
  part.preview_file_id := pinned.preview_file_id;
  part.revision := pinned.revision;
  part.created_at := pinned.created_at;
  part.updated_at := pinned.updated_at;
  part.published_at := pinned.published_at;
  return part;
end $$;

-- Keeps the current revision of a part. The content of one that is kept already does not change. The caller has locked the
-- part.
create function sourcing.pin_part(wanted text, now timestamptz) returns void
language sql as $$
  insert into sourcing.part_revisions (part_id, revision, serial_number, ip_owner_org_id, content, business_unit_ids,
    custom_fields, technology_ids, preview_file_id, file_ids, created_at, updated_at, published_at, pinned_at, due_at)
  select id, revision, serial_number, ip_owner_org_id, content, business_unit_ids, custom_fields, technology_ids,
    preview_file_id,
    array(select file.id from sourcing.files file where file.part_id = part.id and file.removed_at is null
      order by file.id desc),
    created_at, updated_at, published_at, now, now + interval '90 days'
  from sourcing.parts part where id = wanted
  -- The clean-up skips the locked row.
  on conflict (part_id, revision) do update set due_at = excluded.due_at
$$;

-- RFQs.
alter table sourcing.rfqs
  -- Counts publication and amendments from 1. Null before the publication, as is the pinned revision.
  add column version integer,
  add column part_revision integer,
  -- Whether the part has changed since it was pinned. Readers see it while the RFQ is OPEN.
  add column part_changed boolean not null default false,
  -- The reason of the last amendment.
  add column amendment_reason text,
  -- The questions of invited manufacturers that wait for an answer.
  add column unanswered_questions integer not null default 0,
  -- The time of the last change of the state.
  add column state_since timestamptz(3),
  -- The public JSON of the RFQ for its consumer. `document` is that for the IP owner.
  add column consumer_document text;

-- A CLOSED RFQ is CANCELLED after some time; the worker reads this index.
create index rfqs_closed on sourcing.rfqs (state_since) where state = 'CLOSED';
-- The RFQs of a part whose pinned revision their consumer reads.
create index rfqs_sourced_parts on sourcing.rfqs (consumer_org_id, part_id, id desc)
  where published_at is not null and state <> 'CANCELLED';

-- The terms for all but the consumer: without its note for the publication, and of the delivery only the place.
create function sourcing.shared_terms(terms json) returns text
language sql immutable parallel safe
return case when terms -> 'delivery' is null and terms -> 'releaseFiles' is null then sourcing.fields_of(terms) else (
  select string_agg(concat(',', to_json(key), ':', case key when 'delivery'
    then concat('{"locality":', to_json(value ->> 'locality'), ',"regionCode":', to_json(value ->> 'regionCode'), '}')
    else value::text end), '' order by place)
  from json_each(terms) with ordinality t (key, value, place) where key <> 'releaseFiles') end;

-- The only code that builds the JSON of an RFQ. The lists of manufacturers and of awarded offers are those that the
-- reader may see; the reader is CONSUMER, IP_OWNER or INVITEE.
create function sourcing.rfq_document(
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
  ',"amendmentReason":' || to_json(rfq.amendment_reason)::text,
  case when reader <> 'INVITEE' and rfq.part_changed and rfq.state = 'OPEN' then ',"partChanged":true' end,
  case when reader = 'CONSUMER' and rfq.version is not null then ',"unansweredQuestions":' || rfq.unanswered_questions end,
  ',"reason":' || to_json(rfq.cancel_reason)::text,
  ',"createdTime":', to_json(sourcing.api_time(rfq.created_at)),
  ',"updatedTime":', to_json(sourcing.api_time(rfq.updated_at)),
  '}');

create or replace function sourcing.write_rfq_document() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.expires_at <> old.expires_at then
    new.expired := false;
  end if;
  if tg_op = 'INSERT' or new.state <> old.state then
    new.state_since := new.updated_at;
  end if;
  new.document := sourcing.rfq_document(new, new.manufacturer_ids, new.awarded_offer_ids, 'IP_OWNER');
  new.consumer_document := sourcing.rfq_document(new, new.manufacturer_ids, new.awarded_offer_ids, 'CONSUMER');
  return new;
end $$;

alter table sourcing.rfq_invitations add column part_revision integer;

-- The title of the part that an invited manufacturer may search now: the current one of a public part, else the pinned one.
create function sourcing.invited_title(rfq sourcing.rfqs) returns text
language sql stable parallel safe
return coalesce(
  (select title from sourcing.parts where id = rfq.part_id and state = 'PUBLISHED' and not internal),
  (select content ->> 'title' from sourcing.part_revisions where part_id = rfq.part_id and revision = rfq.part_revision),
  rfq.part_title);

create or replace function sourcing.write_invitation_documents() returns trigger
language plpgsql as $$
declare
  rfq sourcing.rfqs;
begin
  if tg_op = 'INSERT' then
    rfq := (select r from sourcing.rfqs r where r.id = new.rfq_id);
    new.part_id := rfq.part_id;
    new.part_revision := rfq.part_revision;
    new.part_title := sourcing.invited_title(rfq);
    new.rfq_state := rfq.state;
    new.expires_at := rfq.expires_at;
    new.expired := rfq.expired;
    new.document := sourcing.rfq_document(rfq, array[new.org_id], new.awarded_offer_ids, 'INVITEE');
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

create or replace function sourcing.update_invitations() returns trigger
language plpgsql as $$
begin
  update sourcing.rfq_invitations i set
    rfq_state = new.state, expires_at = new.expires_at, expired = new.expired, part_revision = new.part_revision,
    -- A manufacturer that declined reads no later revision.
    part_title = case when new.part_revision is distinct from old.part_revision and i.state <> 'DECLINED'
      then sourcing.invited_title(new) else i.part_title end,
    -- One that declined reads the state, and nothing that was changed since.
    document = case
      when i.state = 'DECLINED' then sourcing.with_field(i.document::json, 'state', to_json(new.state))::text
      when row(new.state, new.expires_at, new.awarded_offer_ids, new.version)
        is distinct from row(old.state, old.expires_at, old.awarded_offer_ids, old.version)
      then sourcing.rfq_document(new, array[i.org_id], i.awarded_offer_ids, 'INVITEE') else i.document end
  where i.rfq_id = new.id;
  return null;
end $$;

drop trigger rfq_invitations on sourcing.rfqs;
create trigger rfq_invitations after update on sourcing.rfqs
  for each row
  when (row(new.state, new.expires_at, new.expired, new.awarded_offer_ids, new.version)
    is distinct from row(old.state, old.expires_at, old.expired, old.awarded_offer_ids, old.version))
  execute function sourcing.update_invitations();

drop function sourcing.rfq_document(sourcing.rfqs, text[], text[]);

-- What an RFQ has at its publication, which is its creation for all but the consumer.
create function sourcing.published_fields(rfq sourcing.rfqs) returns json
language sql stable parallel safe
return rfq.document::json;

-- An amendment always shows its reason, also one with the reason of the amendment before it. Flags of the present are
-- no change of the RFQ.
create or replace function sourcing.record_rfq_history() returns trigger
language plpgsql security definer set search_path = pg_catalog, sourcing, pg_temp as $$
declare
  kind text := case tg_op when 'INSERT' then 'CREATE' else tg_op end;
  ignored text[] := '{updatedTime,partChanged,unansweredQuestions}';
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

-- Offers.
alter table sourcing.offers
  -- The maker's own number of the offer.
  add column reference text,
  add column payment_terms text,
  -- The revision and the version of the RFQ for which the offer was submitted or reconfirmed.
  add column part_revision integer,
  add column rfq_version integer,
  -- Whether the RFQ has a later version. A trigger sets it.
  add column outdated boolean not null default false;

create or replace function sourcing.offer_document(offer sourcing.offers, concealed boolean) returns text
language sql stable parallel safe
return concat(
  '{"id":', to_json(offer.id),
  ',"rfqId":', to_json(offer.rfq_id),
  ',"partId":', to_json(offer.part_id),
  ',"partRevision":' || offer.part_revision,
  ',"manufacturerOrgId":', to_json(offer.manufacturer_org_id),
  ',"factoryId":', to_json(offer.factory_id),
  ',"state":', to_json(offer.state),
  case when offer.outdated and offer.state = 'SUBMITTED' then ',"isOutdated":true' end,
  case when not offer_document.concealed then concat(
    ',"priceBreaks":[', (
      select string_agg(concat(
        '{"minQuantity":', line -> 'minQuantity',
        ',"unitPrice":', sourcing.money_json((line ->> 'unitPrice')::numeric, offer.currency),
        ',"leadTimeDays":', line -> 'leadTimeDays', '}'), ',' order by place)
      from jsonb_array_elements(offer.price_breaks) with ordinality b (line, place)),
    ']',
    ',"toolingCost":' || sourcing.money_json(offer.tooling_cost, offer.currency),
    ',"shippingCost":' || sourcing.money_json(offer.shipping_cost, offer.currency),
    ',"reference":' || to_json(offer.reference)::text,
    ',"paymentTerms":' || to_json(offer.payment_terms)::text,
    ',"notes":' || to_json(offer.notes)::text,
    ',"reason":' || to_json(offer.reason)::text) end,
  ',"validUntil":', to_json(sourcing.api_time(offer.valid_until)),
  ',"revision":', offer.revision,
  ',"createdTime":', to_json(sourcing.api_time(offer.created_at)),
  ',"submittedTime":' || to_json(sourcing.api_time(offer.submitted_at))::text,
  '}');

-- An amendment makes the submitted offers for older versions outdated.
create function sourcing.outdate_offers() returns trigger
language plpgsql as $$
begin
  update sourcing.offers set outdated = true
  where rfq_id = new.id and state = 'SUBMITTED' and rfq_version < new.version and not outdated;
  return null;
end $$;

create trigger rfq_amendment after update on sourcing.rfqs
  for each row when (new.version > old.version) execute function sourcing.outdate_offers();

-- Orders.
alter table sourcing.orders
  add column part_revision integer,
  add column purchase_order_number text,
  add column payment_terms text,
  -- {name, lines, postalCode, locality, regionCode}
  add column delivery json;

create or replace function sourcing.write_order_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"serialNumber":', to_json(new.serial_number),
    ',"rfqId":', to_json(new.rfq_id),
    ',"offerId":', to_json(new.offer_id),
    ',"partId":', to_json(new.part_id),
    ',"partRevision":' || new.part_revision,
    ',"factoryId":', to_json(new.factory_id),
    ',"consumerOrgId":', to_json(new.consumer_org_id),
    ',"ipOwnerOrgId":', to_json(new.ip_owner_org_id),
    ',"manufacturerOrgId":', to_json(new.manufacturer_org_id),
    ',"sellerOrgId":', to_json(new.seller_org_id),
    ',"distributorOrgId":' || to_json(new.distributor_org_id)::text,
    ',"state":', to_json(new.state),
    ',"purchaseOrderNumber":' || to_json(new.purchase_order_number)::text,
    ',"quantity":', new.quantity,
    ',"unitPrice":', sourcing.money_json(new.unit_price, new.currency),
    ',"toolingCost":' || sourcing.money_json(new.tooling_cost, new.currency),
    ',"shippingCost":' || sourcing.money_json(new.shipping_cost, new.currency),
    ',"total":', sourcing.money_json(new.total, new.currency),
    ',"paymentTerms":' || to_json(new.payment_terms)::text,
    ',"delivery":' || new.delivery::text,
    ',"dueDate":', to_json(to_char(new.due_date, 'YYYY-MM-DD')),
    ',"expectedDate":' || to_json(to_char(sourcing.expected_date(new), 'YYYY-MM-DD'))::text,
    ',"filesReleasedTime":' || to_json(sourcing.api_time(new.files_released_at))::text,
    ',"milestones":', new.milestones,
    ',"carrier":' || to_json(new.carrier)::text,
    ',"trackingNumber":' || to_json(new.tracking_number)::text,
    ',"reason":' || to_json(new.reason)::text,
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    ',"updatedTime":', to_json(sourcing.api_time(new.updated_at)),
    '}');
  return new;
end $$;

create function sourcing.is_pinned(part text, file text) returns boolean
language sql stable
return exists (select from sourcing.part_revisions where part_id = part and file = any (file_ids));

-- A deleted part leaves the files that its pinned revisions list.
create function sourcing.remove_files_of_part() returns trigger
language plpgsql as $$
begin
  delete from sourcing.files where part_id = old.id and not sourcing.is_pinned(part_id, id);
  update sourcing.files set removed_at = now() where part_id = old.id and removed_at is null;
  return null;
end $$;

create trigger part_files after delete on sourcing.parts
  for each row execute function sourcing.remove_files_of_part();

-- What exists pins the current revision of its part.
select sourcing.pin_part(part_id, now())
from (
  select part_id from sourcing.rfqs where published_at is not null union select part_id from sourcing.orders
) pinned;

alter table sourcing.rfqs disable trigger rfq_history;
update sourcing.rfqs set state_since = updated_at, version = case when published_at is not null then 1 end,
  part_revision = case when published_at is not null then (select revision from sourcing.parts where id = part_id) end;
alter table sourcing.rfqs enable trigger rfq_history;
alter table sourcing.rfqs alter column state_since set not null, alter column consumer_document set not null;

update sourcing.offers set part_revision = rfq.part_revision, rfq_version = rfq.version
from sourcing.rfqs rfq where rfq.id = rfq_id and submitted_at is not null;

alter table sourcing.orders disable trigger order_history;
update sourcing.orders set part_revision = part.revision from sourcing.parts part where part.id = part_id;
alter table sourcing.orders enable trigger order_history;

select sourcing.add_history(id, 'BACKFILL', changes, 'BACKFILL', changes)
from sourcing.rfqs
cross join lateral (select sourcing.field_changes('{}', json_strip_nulls(json_build_object(
  'partRevision', part_revision, 'version', version)), '{}') as changes) pinned
where version is not null order by id;
select sourcing.add_history(id, 'BACKFILL',
  sourcing.field_changes('{}', json_build_object('partRevision', part_revision), '{}'))
from sourcing.orders where part_revision is not null order by id;

grant select, insert, update, delete on sourcing.part_revisions to marketplace_sourcing;

-- Mails name the part by the title of the pinned revision, for all but its IP owner.
create or replace view sourcing.rfq_readers as
select id as rfq_id, consumer_org_id as org_id, 'CONSUMER' as role, rfq.serial_number,
  coalesce(pinned.content ->> 'title', part_title) as title, expires_at
from sourcing.rfqs rfq
left join sourcing.part_revisions pinned on pinned.part_id = rfq.part_id and pinned.revision = rfq.part_revision
where rfq.published_at is not null
union all
select id, ip_owner_org_id, 'IP_OWNER', serial_number, owner_part_title, expires_at
from sourcing.rfqs where published_at is not null
union all
select r.id, i.org_id, 'MANUFACTURER', r.serial_number,
  case when i.state = 'DECLINED' then i.part_title else coalesce(pinned.content ->> 'title', i.part_title) end, r.expires_at
from sourcing.rfq_invitations i
join sourcing.rfqs r on r.id = i.rfq_id
left join sourcing.part_revisions pinned on pinned.part_id = r.part_id and pinned.revision = r.part_revision;
