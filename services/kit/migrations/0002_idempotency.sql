-- The first response to a request with an Idempotency-Key, kept for 24 hours.
create table idempotency_keys (
  user_id text not null,
  operation text not null,
  key text not null,
  request_hash bytea not null,
  response text not null,
  created_at timestamptz(3) not null,
  primary key (user_id, operation, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

do $$ begin
  execute format('grant select, insert, delete on idempotency_keys to %I', 'marketplace_' || current_schema());
end $$;
