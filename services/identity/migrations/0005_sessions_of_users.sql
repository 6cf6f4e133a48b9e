-- Ended sessions are included, because an anonymisation erases them, too.
create index sessions_of_user on identity.sessions (user_id);
