-- Those that have ended are looked for too, when a person is anonymised.
create index sessions_of_user on identity.sessions (user_id);
