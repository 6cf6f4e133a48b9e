-- Requests for a new password, until a worker has sent the link. An unknown address also has a row, so that the answer
-- takes as long.
create table organization.password_resets (
  id text collate "C" primary key,
  -- An address waits once.
  email_key text collate "C" not null unique,
  ip_address text,
  user_agent text,
  created_at timestamptz(3) not null
);
-- Locking a row needs the right to update.
grant select, insert, update, delete on organization.password_resets to marketplace_organization;

-- Whether the user asked for the link. A new one replaces only such links.
alter table organization.activations add column self_service boolean not null default false;
-- Whether the link was only sent by mail, so that its use proves the address.
alter table organization.activations add column mailed boolean not null default false;

-- Marks the address of the user of a link that was used as proved. It runs with the rights of the owner, because the
-- service of passwords writes no table of another schema.
create function organization.prove_address(of_link bytea) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  insert into organization.user_notifications (user_id, proved_email_key)
  select u.id, u.email_key
  from organization.activations a join organization.users u on u.id = a.user_id
  where a.token_hash = of_link and a.mailed
  on conflict (user_id) do update set proved_email_key = excluded.proved_email_key
$$;
revoke execute on function organization.prove_address(bytea) from public;
grant execute on function organization.prove_address(bytea) to marketplace_identity;

alter table organization.mails drop constraint mails_kind_check;
alter table organization.mails add constraint mails_kind_check
  check (kind in ('NOTICE', 'CONFIRMATION', 'INVITATION', 'RESET', 'FORGOTTEN'));
