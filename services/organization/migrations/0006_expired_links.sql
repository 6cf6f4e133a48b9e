-- Links that nobody has used are swept when their time is over.
create index activations_expired on organization.activations (expires_at);
