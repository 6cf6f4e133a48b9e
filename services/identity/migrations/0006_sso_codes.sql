-- Codes of sign-ins by a provider that were used. A code works once.
create table identity.redeemed_sso_codes (
  code_hash bytea primary key,
  redeemed_at timestamptz(3) not null
);
create index redeemed_sso_codes_age on identity.redeemed_sso_codes (redeemed_at);

grant select, insert, update, delete on identity.redeemed_sso_codes to marketplace_identity;
