-- What allows a consumer to source the parts of an IP owner that require it, and an internal part by name.
create table sourcing.subscriptions (
  id text collate "C" primary key,
  ip_owner_org_id text not null,
  consumer_org_id text not null,
  -- Null for all parts of the IP owner. The column is no foreign key, because the subscription remains when its part is
  -- deleted.
  part_id text collate "C",
  state text not null check (state in ('REQUESTED', 'ACTIVE', 'DECLINED', 'ENDED')),
  -- The organization that requested or granted it, for its limit.
  created_by_org_id text not null,
  expires_at timestamptz(3),
  reason text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  check (ip_owner_org_id <> consumer_org_id),
  check (created_by_org_id in (ip_owner_org_id, consumer_org_id)),
  -- The public JSON of the subscription, built on write.
  document text not null
);

-- One index for each view and filter, so that the time of a list does not depend on the subscriptions of others.
create index subscriptions_consumed on sourcing.subscriptions (consumer_org_id, id desc);
create index subscriptions_consumed_states on sourcing.subscriptions (consumer_org_id, state, id desc);
create index subscriptions_consumed_parts on sourcing.subscriptions (consumer_org_id, part_id, id desc);
-- The pairs of both views.
create index subscriptions_partners on sourcing.subscriptions (consumer_org_id, ip_owner_org_id, id desc);
create index subscriptions_owned on sourcing.subscriptions (ip_owner_org_id, id desc);
create index subscriptions_owned_states on sourcing.subscriptions (ip_owner_org_id, state, id desc);
create index subscriptions_owned_parts on sourcing.subscriptions (ip_owner_org_id, part_id, id desc);
-- The live subscription of two organizations to a part, and the one to all parts.
create unique index subscriptions_live on sourcing.subscriptions (consumer_org_id, ip_owner_org_id, coalesce(part_id, ''))
  where state in ('REQUESTED', 'ACTIVE');
-- The subscriptions by name, by which a consumer also reads an internal part, and those to all parts of an IP owner.
create index subscriptions_readable on sourcing.subscriptions (consumer_org_id, part_id)
  where state = 'ACTIVE' and part_id is not null;
create index subscriptions_to_all on sourcing.subscriptions (consumer_org_id, ip_owner_org_id)
  where state = 'ACTIVE' and part_id is null;
-- Counts the live subscriptions that an organization has requested or granted.
create index subscriptions_made on sourcing.subscriptions (created_by_org_id) where state in ('REQUESTED', 'ACTIVE');
-- The deletion of a part ends its subscriptions.
create index subscriptions_of_part on sourcing.subscriptions (part_id) where state in ('REQUESTED', 'ACTIVE');
-- The worker of expiries reads this index.
create index subscriptions_due on sourcing.subscriptions (expires_at) where state in ('REQUESTED', 'ACTIVE');

-- The only code that builds the JSON of a subscription.
create function sourcing.write_subscription_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"ipOwnerOrgId":', to_json(new.ip_owner_org_id),
    ',"consumerOrgId":', to_json(new.consumer_org_id),
    ',"partId":' || to_json(new.part_id)::text,
    ',"state":', to_json(new.state),
    ',"expireTime":' || to_json(sourcing.api_time(new.expires_at))::text,
    ',"reason":' || to_json(new.reason)::text,
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    ',"updatedTime":', to_json(sourcing.api_time(new.updated_at)),
    '}');
  return new;
end $$;

create trigger subscription_document before insert or update on sourcing.subscriptions
  for each row execute function sourcing.write_subscription_document();

grant select, insert, update on sourcing.subscriptions to marketplace_sourcing;

-- The flags that exist restricted nothing, so they are cleared: each part has an entry in its history, and each owner
-- an event, which is also a mail.
with cleared as (
  update sourcing.parts part set revision = part.revision + 1, updated_at = now(),
    content = sourcing.with_field(part.content, 'requireSubscription', 'false')
  where (part.content ->> 'requireSubscription')::boolean
  returning part.ip_owner_org_id
)
insert into sourcing.outbox (id, type, subject, tenant_id, time, data)
select 'evt_' || sourcing.crockford_base32((extract(epoch from now()) * 1000)::bigint, 10)
    || sourcing.crockford_base32(('x' || left(replace(gen_random_uuid()::text, '-', ''), 10))::bit(40)::bigint, 8)
    || sourcing.crockford_base32(('x' || left(replace(gen_random_uuid()::text, '-', ''), 10))::bit(40)::bigint, 8),
  'sourcing.subscription.requirementsCleared', ip_owner_org_id, ip_owner_org_id, now(),
  concat('{"ipOwnerOrgId":', to_json(ip_owner_org_id), ',"parts":', count(*), '}')
from cleared group by ip_owner_org_id;
