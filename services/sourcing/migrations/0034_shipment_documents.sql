-- The shipments of its order that a document belongs to.
alter table sourcing.files add column shipment_ids text[] not null default '{}';
