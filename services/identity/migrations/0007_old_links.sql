-- For the sweeper, which asks each minute what is old enough to go.
create index redeemed_activations_age on identity.redeemed_activations (redeemed_at);
