-- One for each order, opened in the transaction of its award.
create table sourcing.assignments (
  id text collate "C" primary key,
  order_id text collate "C" not null unique,
  order_serial_number text collate "C" not null,
  rfq_id text collate "C" not null,
  part_id text collate "C" not null,
  factory_id text collate "C" not null,
  consumer_org_id text not null,
  ip_owner_org_id text not null,
  manufacturer_org_id text not null,
  seller_org_id text not null,
  distributor_org_id text,
  party_org_ids text[] not null generated always as (array_remove(
    array[consumer_org_id, ip_owner_org_id, manufacturer_org_id, seller_org_id, distributor_org_id], null)) stored,
  -- The state of the order.
  status text not null,
  archived boolean not null default false,
  -- The agreed day of the order, then that of the last extension.
  due_date date not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  check (not archived or status in ('COMPLETED', 'DECLINED', 'CANCELLED')),
  -- The public JSON of the assignment, built on write.
  document text not null
);

-- An organization of an assignment. The columns of the filters are repeated, so that the time of a list depends neither on the
-- number of assignments of the organization nor on those of others.
create table sourcing.assignment_parties (
  org_id text not null,
  assignment_id text collate "C" not null references sourcing.assignments (id),
  status text not null,
  archived boolean not null,
  part_id text collate "C" not null,
  factory_id text collate "C" not null,
  primary key (org_id, assignment_id)
);
-- The planner shall expect many rows of an organization. For few it may read all of them and sort, which takes long for a
-- large organization, because a generic plan does not know which one it is for.
alter table sourcing.assignment_parties alter column org_id set (n_distinct = 100);
create index assignment_parties_statuses on sourcing.assignment_parties (org_id, status, assignment_id desc);
create index assignment_parties_archived on sourcing.assignment_parties (org_id, archived, assignment_id desc);
create index assignment_parties_parts on sourcing.assignment_parties (org_id, part_id, assignment_id desc);
create index assignment_parties_factories on sourcing.assignment_parties (org_id, factory_id, assignment_id desc);

create table sourcing.assignment_extensions (
  id text collate "C" primary key,
  assignment_id text collate "C" not null references sourcing.assignments (id),
  org_id text not null,
  due_date date not null,
  previous_due_date date not null,
  reason text not null,
  created_at timestamptz(3) not null,
  check (due_date > previous_due_date),
  document text not null
);
create index assignment_extensions_of on sourcing.assignment_extensions (assignment_id, id desc);

create table sourcing.assignment_contacts (
  id text collate "C" primary key,
  assignment_id text collate "C" not null references sourcing.assignments (id),
  org_id text not null,
  name text not null,
  role text,
  email text,
  phone text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  document text not null
);
create index assignment_contacts_of on sourcing.assignment_contacts (assignment_id, id desc);

create table sourcing.billing_details (
  id text collate "C" primary key,
  assignment_id text collate "C" not null references sourcing.assignments (id),
  org_id text not null,
  company_name text not null,
  region_code text not null,
  locality text not null,
  postal_code text,
  lines text[] not null,
  tax_id text,
  email text,
  reference text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  document text not null
);
create index billing_details_of on sourcing.billing_details (assignment_id, id desc);

-- The only code that builds the JSON of these records.
create function sourcing.write_assignment_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"orderId":', to_json(new.order_id),
    ',"orderSerialNumber":', to_json(new.order_serial_number),
    ',"rfqId":', to_json(new.rfq_id),
    ',"partId":', to_json(new.part_id),
    ',"factoryId":', to_json(new.factory_id),
    ',"consumerOrgId":', to_json(new.consumer_org_id),
    ',"ipOwnerOrgId":', to_json(new.ip_owner_org_id),
    ',"manufacturerOrgId":', to_json(new.manufacturer_org_id),
    ',"sellerOrgId":', to_json(new.seller_org_id),
    ',"distributorOrgId":' || to_json(new.distributor_org_id)::text,
    ',"status":', to_json(new.status),
    ',"archived":', to_json(new.archived),
    ',"dueDate":', to_json(to_char(new.due_date, 'YYYY-MM-DD')),
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    ',"updatedTime":', to_json(sourcing.api_time(new.updated_at)),
    '}');
  return new;
end $$;

create trigger assignment_document before insert or update on sourcing.assignments
  for each row execute function sourcing.write_assignment_document();

create function sourcing.write_extension_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"assignmentId":', to_json(new.assignment_id),
    ',"orgId":', to_json(new.org_id),
    ',"dueDate":', to_json(to_char(new.due_date, 'YYYY-MM-DD')),
    ',"previousDueDate":', to_json(to_char(new.previous_due_date, 'YYYY-MM-DD')),
    ',"reason":', to_json(new.reason),
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    '}');
  return new;
end $$;

create trigger extension_document before insert or update on sourcing.assignment_extensions
  for each row execute function sourcing.write_extension_document();

create function sourcing.write_contact_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"assignmentId":', to_json(new.assignment_id),
    ',"orgId":', to_json(new.org_id),
    ',"name":', to_json(new.name),
    ',"role":' || to_json(new.role)::text,
    ',"email":' || to_json(new.email)::text,
    ',"phone":' || to_json(new.phone)::text,
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    ',"updatedTime":', to_json(sourcing.api_time(new.updated_at)),
    '}');
  return new;
end $$;

create trigger contact_document before insert or update on sourcing.assignment_contacts
  for each row execute function sourcing.write_contact_document();

create function sourcing.write_billing_details_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"assignmentId":', to_json(new.assignment_id),
    ',"orgId":', to_json(new.org_id),
    ',"companyName":', to_json(new.company_name),
    ',"address":{"regionCode":', to_json(new.region_code),
    ',"locality":', to_json(new.locality),
    ',"postalCode":' || to_json(new.postal_code)::text,
    ',"lines":', to_json(new.lines),
    '}',
    ',"taxId":' || to_json(new.tax_id)::text,
    ',"email":' || to_json(new.email)::text,
    ',"reference":' || to_json(new.reference)::text,
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    ',"updatedTime":', to_json(sourcing.api_time(new.updated_at)),
    '}');
  return new;
end $$;

create trigger billing_details_document before insert or update on sourcing.billing_details
  for each row execute function sourcing.write_billing_details_document();

grant select, insert, update on sourcing.assignments, sourcing.assignment_parties to marketplace_sourcing;
grant select, insert on sourcing.assignment_extensions to marketplace_sourcing;
grant select, insert, update, delete on sourcing.assignment_contacts, sourcing.billing_details to marketplace_sourcing;
