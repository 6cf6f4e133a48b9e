-- For the cleanup worker, which queries expired rows each minute.
create index redeemed_activations_age on identity.redeemed_activations (redeemed_at);
