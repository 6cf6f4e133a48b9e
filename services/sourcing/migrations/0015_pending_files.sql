-- How many files of an organization wait for a worker.
create index files_pending on sourcing.files (org_id) where state = 'PENDING';
