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
