import { asOwner } from '../../../services/testing/load/owner.ts'
import type { Database } from './database.ts'
import type { Script } from './pgbench.ts'

const INSERTS = {
  record:
    "insert into bench.records (id, org_id, document) values ('r' || nextval('bench.ids'), :client_id::text, :document);",
  history: "insert into bench.history (record_id, changes) values ('record', :changes);",
  audit: `insert into bench.audit (org_id, actor_id, procedure, request) values (:client_id::text, 'user', 'part.create', :changes);`,
  event: "insert into bench.outbox (type, subject, data) values ('part.created', 'record', :changes);",
}

/**
 * The least transaction of a command: records of a kilobyte, each with its history, an audit entry, and events, in
 * plain tables with the indexes that they need.
 */
export const leastTransaction = ({ records, events }: { records: number; events: number }): Script => ({
  text: [
    'begin;',
    ...Array.from({ length: records }, () => [INSERTS.record, INSERTS.history]).flat(),
    INSERTS.audit,
    ...Array.from({ length: events }, () => INSERTS.event),
    'commit;',
    '',
  ].join('\n'),
  variables: { document: 'x'.repeat(1000), changes: 'x'.repeat(200) },
})

/** Tables without triggers, in a schema of their own. */
export const createLeastTables = ({ ownerUrl }: Database) =>
  asOwner(ownerUrl, async (owner) => {
    await owner.unsafe(`
      drop schema if exists bench cascade;
      create schema bench;
      create sequence bench.ids;
      create table bench.records (id text primary key, org_id text not null, document text not null);
      create index on bench.records (org_id, id);
      create table bench.history (id bigint generated always as identity primary key, record_id text not null,
        time timestamptz not null default now(), changes text not null);
      create table bench.audit (id bigint generated always as identity primary key, org_id text not null,
        actor_id text not null, time timestamptz not null default now(), procedure text not null, request text not null);
      create index on bench.audit (org_id, time);
      create table bench.outbox (seq bigint generated always as identity primary key, type text not null,
        subject text not null, data text not null, sent_at timestamptz);
      create index on bench.outbox (seq) where sent_at is null;
      grant usage on schema bench to public;
      grant all on all tables in schema bench to public;
      grant all on all sequences in schema bench to public`)
  })
