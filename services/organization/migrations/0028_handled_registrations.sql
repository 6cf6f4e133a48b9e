-- When a worker handled the request. The link works from then on, because a request may wait for its mail.
alter table organization.registrations add column handled_at timestamptz(3);
