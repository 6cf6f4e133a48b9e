-- Which business units and custom fields parts name: organization asks before it deletes one, see its hold_labels().
create index parts_business_units on sourcing.parts using gin (business_unit_ids) where business_unit_ids <> '{}';
create index parts_custom_fields on sourcing.parts using gin (custom_fields jsonb_path_ops) where custom_fields <> '[]';

create view sourcing.business_unit_usage as
select ip_owner_org_id as org_id, business_unit_ids from sourcing.parts where business_unit_ids <> '{}';
create view sourcing.custom_field_usage as
select ip_owner_org_id as org_id, custom_fields from sourcing.parts where custom_fields <> '[]';
grant usage on schema sourcing to marketplace_organization;
grant select on sourcing.business_unit_usage, sourcing.custom_field_usage to marketplace_organization;
