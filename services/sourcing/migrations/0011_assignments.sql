-- Each order has one assignment, opened in the transaction of the award.
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
  -- The day agreed in the order, or in the last extension.
  due_date date not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  check (not archived or status in ('COMPLETED', 'DECLINED', 'CANCELLED')),
  -- The public JSON of the assignment, built on write.
  document text not null
);

create index assignments_of_rfq on sourcing.assignments (rfq_id);

-- An organization of an assignment. The columns of the filters are repeated, so that the time of a list depends neither
-- on the number of assignments of the organization nor on those of others.
create table sourcing.assignment_parties (
  org_id text not null,
  assignment_id text collate "C" not null references sourcing.assignments (id),
  status text not null,
  archived boolean not null,
  part_id text collate "C" not null,
  factory_id text collate "C" not null,
  primary key (org_id, assignment_id)
);
-- The planner shall expect many rows of an organization. If it expects few, it may read all of them and sort, which
-- takes long for a large organization. A generic plan does not depend on the organization.
alter table sourcing.assignment_parties alter column org_id set (n_distinct = 100);
create index assignment_parties_statuses on sourcing.assignment_parties (org_id, status, assignment_id desc);
create index assignment_parties_archived on sourcing.assignment_parties (org_id, archived, assignment_id desc);
create index assignment_parties_parts on sourcing.assignment_parties (org_id, part_id, assignment_id desc);
create index assignment_parties_factories on sourcing.assignment_parties (org_id, factory_id, assignment_id desc);

-- Contacts, billing details and extensions of an assignment, tasks and expenses of a case. They are read singly or by
-- page and never searched, so each is stored as its public JSON alone.
create table sourcing.subrecords (
  id text collate "C" primary key,
  kind text not null check (kind in ('contact', 'billing', 'extension', 'task', 'expense')),
  -- The assignment or the case, which is locked while its subrecords change.
  parent_id text collate "C" not null,
  -- The organization that created the subrecord.
  org_id text not null,
  document text not null
);
create index subrecords_of on sourcing.subrecords (parent_id, kind, id desc);

-- The only code that builds the JSON of an assignment.
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

grant select, insert, update on sourcing.assignments, sourcing.assignment_parties to marketplace_sourcing;
grant select, insert, update, delete on sourcing.subrecords to marketplace_sourcing;
