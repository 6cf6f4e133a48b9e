-- How a session began. One that began with a password alone cannot be refreshed while a second factor is required.
alter table identity.sessions add column method text not null default 'PASSWORD'
  check (method in ('PASSWORD', 'PASSKEY', 'PROVIDER', 'GRANT'));
