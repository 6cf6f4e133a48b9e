-- An invited manufacturer reads its own invitation in the RFQ.

-- The JSON of an RFQ with the invitation of its reader; without one where the reader is not invited.
create function sourcing.with_invitation(document text, invitation text) returns text
language sql immutable parallel safe
return case when invitation is null then document
  else sourcing.with_field(document::json, 'invitation', invitation::json)::text end;

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
  new.document := sourcing.with_invitation(new.document, new.invitation_document);
  return new;
end $$;

create or replace function sourcing.rfq_outline_fields() returns text[]
language sql immutable parallel safe
return array['id', 'serialNumber', 'consumerOrgId', 'ipOwnerOrgId', 'state', 'partId', 'expireTime', 'currency',
  'deliveryRegionCode', 'quantities', 'manufacturerIds', 'confidentialityTerms', 'sealed', 'awardedOfferIds',
  'createdTime', 'updatedTime', 'invitation'];

update sourcing.rfq_invitations set state = state;

-- An offer tells for which version of the RFQ it was submitted or reconfirmed.
create or replace function sourcing.offer_document(offer sourcing.offers, concealed boolean) returns text
language sql stable parallel safe
return concat(
  '{"id":', to_json(offer.id),
  ',"rfqId":', to_json(offer.rfq_id),
  ',"partId":', to_json(offer.part_id),
  ',"partRevision":' || offer.part_revision,
  ',"rfqVersion":' || offer.rfq_version,
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

update sourcing.offers set state = state where rfq_version is not null;

-- Whether an RFQ or an order of the IP owner's own pins a file of its part.
create function sourcing.is_pinned_by_owner(file sourcing.files) returns boolean
language sql stable
return exists (
  select from sourcing.part_revisions pinned
  where pinned.part_id = file.part_id and file.id = any (pinned.file_ids) and (
    exists (
      select from sourcing.rfqs rfq
      where rfq.consumer_org_id = file.org_id and rfq.part_id = pinned.part_id and rfq.part_revision = pinned.revision)
    or exists (
      select from sourcing.orders ordered
      where ordered.consumer_org_id = file.org_id and ordered.part_id = pinned.part_id
        and ordered.part_revision = pinned.revision)));

-- A removed file that only others pin no longer counts as stored by its IP owner, which cannot delete it.
create function sourcing.uncount_removed_file() returns trigger
language plpgsql as $$
begin
  if not sourcing.is_pinned_by_owner(new) then
    update sourcing.files set counted_bytes = 0 where id = new.id and counted_bytes <> 0;
  end if;
  return null;
end $$;

create trigger file_uncounted after update of removed_at on sourcing.files
  for each row when (new.removed_at is not null and old.removed_at is null)
  execute function sourcing.uncount_removed_file();
