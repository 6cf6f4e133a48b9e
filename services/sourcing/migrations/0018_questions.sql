-- The questions of invited manufacturers about an RFQ, and the clarifications, which are answers without a question.
create table sourcing.rfq_questions (
  id text collate "C" primary key,
  rfq_id text collate "C" not null references sourcing.rfqs (id) on delete cascade,
  -- The asker. Null for a clarification. No user is stored.
  org_id text,
  state text not null check (state in ('ASKED', 'ANSWERED', 'DISMISSED')),
  text text,
  audience text check (audience in ('ASKER', 'ALL')),
  -- The question as the answerer words it for the other invitees.
  published_text text,
  answer text,
  answered_by_org_id text,
  -- The id under which the other invitees read the answer. It has the time of the answer, not of the question.
  published_id text collate "C",
  created_at timestamptz(3) not null,
  answered_at timestamptz(3),
  dismissed_at timestamptz(3),
  check ((org_id is null) = (text is null)),
  check ((state = 'ANSWERED') = (num_nonnulls(audience, answer, answered_by_org_id, answered_at) = 4)),
  check ((state = 'DISMISSED') = (dismissed_at is not null)),
  check ((published_id is not null) = (audience is not distinct from 'ALL')),
  -- The public JSON for the asker, the consumer and the IP owner, and that for the other invitees, built on write.
  document text not null,
  published_document text
);
create index rfq_questions_of_rfq on sourcing.rfq_questions (rfq_id, id desc);
create index rfq_questions_asked on sourcing.rfq_questions (rfq_id, org_id, id desc);
create index rfq_questions_published on sourcing.rfq_questions (rfq_id, published_id desc) where published_id is not null;

-- The only code that builds the JSON of a question. The asker, its words and the time of the question are only in
-- `document`.
create function sourcing.write_question_documents() returns trigger
language plpgsql as $$
declare
  answer text := concat(
    ',"audience":' || to_json(new.audience)::text,
    ',"publishedText":' || to_json(new.published_text)::text,
    ',"answer":' || to_json(new.answer)::text,
    ',"answeredByOrgId":' || to_json(new.answered_by_org_id)::text);
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"rfqId":', to_json(new.rfq_id),
    ',"state":', to_json(new.state),
    ',"askedByOrgId":' || to_json(new.org_id)::text,
    ',"text":' || to_json(new.text)::text,
    answer,
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    ',"answeredTime":' || to_json(sourcing.api_time(new.answered_at))::text,
    ',"dismissedTime":' || to_json(sourcing.api_time(new.dismissed_at))::text,
    '}');
  new.published_document := case when new.published_id is not null then concat(
    '{"id":', to_json(new.published_id),
    ',"rfqId":', to_json(new.rfq_id),
    ',"state":', to_json(new.state),
    answer,
    ',"createdTime":', to_json(sourcing.api_time(new.answered_at)),
    ',"answeredTime":', to_json(sourcing.api_time(new.answered_at)),
    '}') end;
  return new;
end $$;

create trigger question_documents before insert or update on sourcing.rfq_questions
  for each row execute function sourcing.write_question_documents();

grant select, insert, update, delete on sourcing.rfq_questions to marketplace_sourcing;
