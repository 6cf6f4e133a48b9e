-- When an entry was written is the database's word: no service says it, so none can write into the past.
revoke insert on organization.audit_log from
  marketplace_identity, marketplace_catalog, marketplace_sourcing, marketplace_organization, marketplace_webhooks;
grant insert (id, org_id, procedure, success, error, ip_address, user_agent, actor_id, grant_id, request)
  on organization.audit_log to
  marketplace_identity, marketplace_catalog, marketplace_sourcing, marketplace_organization, marketplace_webhooks;
