-- Signing keys and secrets of the service. Private parts are encrypted with ENCRYPTION_KEYS.
create table identity.signing_keys (
  kid text primary key,
  public_jwk jsonb not null,
  private_key text not null,
  created_at timestamptz(3) not null,
  -- Start of signing, later than publication so that every verifier knows the key.
  signs_from timestamptz(3) not null,
  -- Set when a newer key takes over. No token of this key is valid after that time.
  retires_at timestamptz(3)
);

create table identity.server_secrets (
  name text primary key,
  value text not null
);

create view identity.published_keys as
select kid, public_jwk from identity.signing_keys where retires_at is null or retires_at > now();

grant select, insert, update, delete on identity.signing_keys to marketplace_identity;
grant select, insert, update on identity.server_secrets to marketplace_identity;
grant select on identity.published_keys to
  marketplace_identity, marketplace_catalog, marketplace_sourcing, marketplace_organization, marketplace_webhooks;
