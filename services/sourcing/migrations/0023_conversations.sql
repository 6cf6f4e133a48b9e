-- Cases are conversations: they have messages, each party knows what it has not read, and the case of an invited
-- manufacturer has the consumer as a party. Tasks are assigned to users, and expenses are approved.

alter table sourcing.cases
  add column last_message_at timestamptz(3),
  -- When the case of an awarded manufacturer ends by itself. A trigger sets it when its last order has ended.
  add column ends_at timestamptz(3);
create index cases_ending on sourcing.cases (ends_at) where state = 'OPEN' and ends_at is not null;

alter table sourcing.case_parties
  -- The messages that the party has written, for their limit.
  add column written_count integer not null default 0,
  -- The messages of others that the party has not read, and the time of the first one.
  add column unread_count integer not null default 0,
  add column unread_since timestamptz(3);

-- A message never changes, except that the user is erased when it is anonymised.
create table sourcing.case_messages (
  id text collate "C" primary key,
  case_id text collate "C" not null references sourcing.cases (id) on delete cascade,
  -- The organization that wrote the message, and its user, whom it alone reads.
  org_id text not null,
  user_id text,
  text text not null,
  -- Documents of the case. One that is removed stays here.
  file_ids text[] not null,
  -- Later than that of the message before, so that ids have the order of the messages.
  created_at timestamptz(3) not null,
  -- The public JSON of the message without its user, built on write.
  document text not null
);
create index case_messages_newest on sourcing.case_messages (case_id, id desc);
create index case_messages_users on sourcing.case_messages (user_id) where user_id is not null;

-- The only code that builds the JSON of a message.
create function sourcing.write_message_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"caseId":', to_json(new.case_id),
    ',"authorOrgId":', to_json(new.org_id),
    ',"text":', to_json(new.text),
    ',"fileIds":', to_json(new.file_ids),
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    '}');
  return new;
end $$;

create trigger message_document before insert on sourcing.case_messages
  for each row execute function sourcing.write_message_document();

grant select, insert, update on sourcing.case_messages to marketplace_sourcing;

-- The only code that builds the JSON of a case. What only one party reads is added by queries.
create or replace function sourcing.write_case_document() returns trigger
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
    ',"lastMessageTime":' || to_json(sourcing.api_time(new.last_message_at))::text,
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    ',"updatedTime":', to_json(sourcing.api_time(new.updated_at)),
    '}');
  return new;
end $$;

alter table sourcing.subrecords
  -- The user who created the record or changed it last; null for older ones. No response has it.
  add column created_by text collate "C",
  -- The user who should do a task, read by the organization that should do it alone.
  add column assignee_user_id text collate "C";

-- Expenses that exist are approved, and the tasks that exist show the day until which they should be done.
update sourcing.subrecords set document = sourcing.with_field(document::json, 'state', '"APPROVED"')::text
where kind = 'expense';
update sourcing.subrecords set
  document = sourcing.with_field(document::json, 'dueDate', to_json(left(document::json ->> 'dueTime', 10)))::text
where kind = 'task' and document::json ->> 'dueTime' is not null;

-- The tasks and expenses of each party to their case, for the list of tasks of all cases and for the inbox.
create table sourcing.case_work (
  org_id text not null,
  id text collate "C" not null,
  kind text not null check (kind in ('task', 'expense')),
  case_id text collate "C" not null,
  state text not null,
  is_case_open boolean not null,
  -- The organization that created the task or expense, and its user.
  by_org_id text not null,
  by_user_id text,
  assignee_org_id text,
  -- Whether the organization should do the task. It is a column, so that the planner knows how many there are.
  is_assignee boolean not null generated always as (coalesce(org_id = assignee_org_id, false)) stored,
  -- Null for every organization but that of the user.
  assignee_user_id text,
  due_at timestamptz(3),
  -- The last change of state or assignee.
  since timestamptz(3) not null,
  -- Whether the organization is the only party.
  is_alone boolean not null,
  primary key (org_id, id)
);
-- The planner shall expect many rows of an organization, as for `case_parties`.
alter table sourcing.case_work alter column org_id set (n_distinct = 100);
create index case_work_tasks on sourcing.case_work (org_id, id desc) where kind = 'task';
create index case_work_states on sourcing.case_work (org_id, state, id desc) where kind = 'task';
create index case_work_assignees on sourcing.case_work (org_id, assignee_org_id, id desc) where kind = 'task';
create index case_work_users on sourcing.case_work (org_id, assignee_user_id, id desc)
  where kind = 'task' and assignee_user_id is not null;
create index case_work_due on sourcing.case_work (org_id, due_at) where kind = 'task' and due_at is not null;
create index case_work_of_case on sourcing.case_work (case_id);

create function sourcing.add_case_work(record sourcing.subrecords, parties text[], is_case_open boolean, alone boolean)
returns void
language sql as $$
  insert into sourcing.case_work (
    org_id, id, kind, case_id, state, is_case_open, by_org_id, by_user_id, assignee_org_id, assignee_user_id, due_at,
    since, is_alone)
  select party, record.id, record.kind, record.parent_id, fields ->> 'state', add_case_work.is_case_open, record.org_id,
    case when party = record.org_id then record.created_by end, fields ->> 'assigneeOrgId',
    case when party = fields ->> 'assigneeOrgId' then record.assignee_user_id end,
    (fields ->> 'dueTime')::timestamptz, (fields ->> 'updatedTime')::timestamptz, alone
  from (select record.document::json as fields) document cross join unnest(parties) party
  on conflict (org_id, id) do update set
    state = excluded.state, is_case_open = excluded.is_case_open, assignee_org_id = excluded.assignee_org_id,
    by_user_id = excluded.by_user_id, assignee_user_id = excluded.assignee_user_id, due_at = excluded.due_at, is_alone = excluded.is_alone,
    since = case when row(case_work.state, case_work.assignee_org_id) is distinct from
      row(excluded.state, excluded.assignee_org_id) then excluded.since else case_work.since end
$$;

create function sourcing.write_case_work() returns trigger
language plpgsql as $$
declare
  parent sourcing.cases;
begin
  if tg_op = 'DELETE' then
    delete from sourcing.case_work where case_id = old.parent_id and id = old.id;
  else
    parent := (select c from sourcing.cases c where c.id = new.parent_id);
    perform sourcing.add_case_work(new, parent.party_org_ids, parent.state = 'OPEN', cardinality(parent.party_org_ids) = 1);
  end if;
  return null;
end $$;

create trigger new_case_work after insert or update on sourcing.subrecords
  for each row when (new.kind in ('task', 'expense')) execute function sourcing.write_case_work();
create trigger old_case_work after delete on sourcing.subrecords
  for each row when (old.kind in ('task', 'expense')) execute function sourcing.write_case_work();

select sourcing.add_case_work(record, parent.party_org_ids, parent.state = 'OPEN', cardinality(parent.party_org_ids) = 1)
from sourcing.subrecords record join sourcing.cases parent on parent.id = record.parent_id
where record.kind in ('task', 'expense');

grant select, insert, update, delete on sourcing.case_work to marketplace_sourcing;

-- A case gains parties, and never loses one.
create or replace function sourcing.write_case_parties() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.party_org_ids <> old.party_org_ids then
    insert into sourcing.case_parties (org_id, case_id, kind, state, rfq_id, order_id)
    select org_id, new.id, new.kind, new.state, new.rfq_id, new.order_id from unnest(new.party_org_ids) org_id
    on conflict do nothing;
  end if;
  if tg_op = 'UPDATE' then
    update sourcing.case_parties set state = new.state
    where case_id = new.id and org_id = any(new.party_org_ids) and state <> new.state;
    if new.party_org_ids <> old.party_org_ids then
      perform sourcing.add_case_work(record, new.party_org_ids, new.state = 'OPEN', cardinality(new.party_org_ids) = 1)
      from sourcing.subrecords record where record.parent_id = new.id and record.kind in ('task', 'expense');
    else
      update sourcing.case_work set is_case_open = new.state = 'OPEN' where case_id = new.id;
    end if;
  end if;
  return null;
end $$;

drop trigger case_parties on sourcing.cases;
create trigger case_parties after update on sourcing.cases
  for each row when (new.state <> old.state or new.party_org_ids <> old.party_org_ids)
  execute function sourcing.write_case_parties();

-- The case of an invited manufacturer becomes its conversation with the consumer. That of an IP owner stays its own.
update sourcing.cases followed set party_org_ids = array[followed.org_id, rfq.consumer_org_id]
from sourcing.rfqs rfq
where followed.follows_rfq and followed.state = 'OPEN' and rfq.id = followed.rfq_id
  and followed.org_id not in (rfq.consumer_org_id, rfq.ip_owner_org_id)
  and followed.org_id = any(rfq.manufacturer_ids);

-- The case of an awarded manufacturer ends 90 days after the last of its orders of the RFQ. The lock makes orders that
-- end at the same time see each other.
create function sourcing.end_case_of_order() returns trigger
language plpgsql as $$
begin
  perform from sourcing.cases
  where rfq_id = new.rfq_id and org_id = new.manufacturer_org_id and follows_rfq for update;
  update sourcing.cases set ends_at = (
    select case when bool_and(placed.state in ('COMPLETED', 'DECLINED', 'CANCELLED'))
      then max(placed.updated_at) + interval '90 days' end
    from sourcing.orders placed
    where placed.rfq_id = new.rfq_id and placed.manufacturer_org_id = new.manufacturer_org_id)
  where rfq_id = new.rfq_id and org_id = new.manufacturer_org_id and follows_rfq;
  return null;
end $$;

create trigger order_ends_case after update on sourcing.orders
  for each row
  when (new.state in ('COMPLETED', 'DECLINED', 'CANCELLED')
    and (new.state <> old.state or new.updated_at <> old.updated_at))
  execute function sourcing.end_case_of_order();

-- A further order keeps the case.
create function sourcing.keep_case_of_order() returns trigger
language plpgsql as $$
begin
  update sourcing.cases set ends_at = null
  where rfq_id = new.rfq_id and org_id = new.manufacturer_org_id and follows_rfq and ends_at is not null;
  return null;
end $$;

create trigger order_keeps_case after insert on sourcing.orders
  for each row execute function sourcing.keep_case_of_order();
