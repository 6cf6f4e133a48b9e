-- Uploads whose time is over, oldest first: the sweeper asks each minute, and most of the time there are none.
create index uploads_due on sourcing.uploads (expires_at) where state = 'OPEN';
-- Which jobs are being worked on, for whoever looks whose turn it is.
create index file_jobs_leased on sourcing.file_jobs (next_attempt_at) where lease_token is not null;
