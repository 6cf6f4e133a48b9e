-- Grants that may have a session are queried after each change of permissions.
create index impersonation_grants_live on identity.impersonation_grants (org_id, expires_at) where revoked_at is null;
