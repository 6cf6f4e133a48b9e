-- Each publication wrote the pinned revision again, planned the statement anew, and waited for other publications of the
-- part. A revision that is kept for another day needs nothing: the clean-up deletes only those that are due, and finds
-- then what pins them. The release before calls the function in the same way.
create or replace function sourcing.pin_part(wanted text, now timestamptz) returns void
language plpgsql as $$
begin
  perform from sourcing.parts part
  join sourcing.part_revisions kept on kept.part_id = part.id and kept.revision = part.revision
  where part.id = wanted and kept.due_at > now + interval '1 day';
  if found then
    return;
  end if;
  insert into sourcing.part_revisions (part_id, revision, serial_number, ip_owner_org_id, content, business_unit_ids,
    custom_fields, technology_ids, preview_file_id, file_ids, created_at, updated_at, published_at, pinned_at, due_at)
  select id, revision, serial_number, ip_owner_org_id, content, business_unit_ids, custom_fields, technology_ids,
    preview_file_id,
    array(select file.id from sourcing.files file where file.part_id = part.id and file.removed_at is null
      order by file.id desc),
    created_at, updated_at, published_at, now, now + interval '90 days'
  from sourcing.parts part where id = wanted
  -- The clean-up skips the locked row.
  on conflict (part_id, revision) do update set due_at = excluded.due_at;
end $$;
