-- Finds expired uploads, oldest first, for the sweep that runs each minute.
create index uploads_due on sourcing.uploads (expires_at) where state = 'OPEN';
-- Finds the claimed jobs, which count toward the limit of an organization.
create index file_jobs_leased on sourcing.file_jobs (next_attempt_at) where lease_token is not null;
