create table webhooks.endpoints (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  url text not null,
  description text,
  -- Event types and wildcards, without duplicates.
  events text[] not null,
  status text not null check (status in ('active', 'paused')),
  -- Encrypted with a key that the database does not have.
  secret text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create index endpoints_of_organization on webhooks.endpoints (org_id, id desc);

grant select, insert, update, delete on webhooks.endpoints to marketplace_webhooks;
