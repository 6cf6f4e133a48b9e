-- For imports, which find parts by the reference of their owner.
create index parts_references on sourcing.parts (ip_owner_org_id, (content ->> 'externalRef'))
  where content ->> 'externalRef' is not null;
