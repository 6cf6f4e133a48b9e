create table sourcing.cases (
  id text collate "C" primary key,
  kind text not null check (kind in ('SOURCING', 'QUALITY')),
  state text not null check (state in ('OPEN', 'CLOSED', 'ARCHIVED')),
  title text not null,
  description text,
  -- These columns are no foreign keys: a draft RFQ can be deleted, and a new case takes no lock on the record that it
  -- names.
  rfq_id text collate "C",
  order_id text collate "C",
  org_id text not null,
  party_org_ids text[] not null,
  -- Whether the publication of the RFQ, or an invitation to it, opened the case. Only such a case follows its RFQ.
  follows_rfq boolean not null,
  -- The organization that closed the case, which alone opens it again. Null where its RFQ closed it.
  closed_by_org_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  check (num_nonnulls(rfq_id, order_id) <= 1),
  check (rfq_id is not null or not follows_rfq),
  check (state <> 'OPEN' or closed_by_org_id is null),
  -- The public JSON of the case, built on write.
  document text not null
);
-- The case of each organization that an RFQ has opened.
create unique index cases_of_rfq on sourcing.cases (rfq_id, org_id) where follows_rfq;

-- Counts the cases that an organization opens about one record, for their limit.
create index cases_about_rfqs on sourcing.cases (rfq_id, org_id) where rfq_id is not null;
create index cases_about_orders on sourcing.cases (order_id, org_id) where order_id is not null;

-- The cases of each party, with the columns of the filters, so that the time of a list does not depend on the cases of
-- others.
create table sourcing.case_parties (
  org_id text not null,
  case_id text collate "C" not null references sourcing.cases (id) on delete cascade,
  kind text not null,
  state text not null,
  rfq_id text collate "C",
  order_id text collate "C",
  primary key (org_id, case_id)
);
-- The planner shall expect many rows of an organization, as for `assignment_parties`, so that it reads pages in order.
alter table sourcing.case_parties alter column org_id set (n_distinct = 100);
create index case_parties_kinds on sourcing.case_parties (org_id, kind, case_id desc);
create index case_parties_states on sourcing.case_parties (org_id, state, case_id desc);
create index case_parties_rfqs on sourcing.case_parties (org_id, rfq_id, case_id desc) where rfq_id is not null;
create index case_parties_orders on sourcing.case_parties (org_id, order_id, case_id desc) where order_id is not null;

-- The only code that builds the JSON of a case.
create function sourcing.write_case_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"kind":', to_json(new.kind),
    ',"state":', to_json(new.state),
    ',"title":', to_json(new.title),
    ',"description":' || to_json(new.description)::text,
    ',"rfqId":' || to_json(new.rfq_id)::text,
    ',"orderId":' || to_json(new.order_id)::text,
    ',"orgId":', to_json(new.org_id),
    ',"partyOrgIds":', to_json(new.party_org_ids),
    ',"closedByOrgId":' || to_json(new.closed_by_org_id)::text,
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    ',"updatedTime":', to_json(sourcing.api_time(new.updated_at)),
    '}');
  return new;
end $$;

create trigger case_document before insert or update on sourcing.cases
  for each row execute function sourcing.write_case_document();

-- The parties of a case never change.
create function sourcing.write_case_parties() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into sourcing.case_parties (org_id, case_id, kind, state, rfq_id, order_id)
    select org_id, new.id, new.kind, new.state, new.rfq_id, new.order_id from unnest(new.party_org_ids) org_id;
  else
    update sourcing.case_parties set state = new.state where case_id = new.id and org_id = any(new.party_org_ids);
  end if;
  return null;
end $$;

create trigger new_case_parties after insert on sourcing.cases
  for each row execute function sourcing.write_case_parties();
create trigger case_parties after update on sourcing.cases
  for each row when (new.state <> old.state) execute function sourcing.write_case_parties();

grant select, insert, update on sourcing.cases, sourcing.case_parties to marketplace_sourcing;
