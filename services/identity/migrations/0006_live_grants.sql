-- Grants that may still have a session are looked for with each change of who may do what.
create index impersonation_grants_live on identity.impersonation_grants (org_id, expires_at) where revoked_at is null;
