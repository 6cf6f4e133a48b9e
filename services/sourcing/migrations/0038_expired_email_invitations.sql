-- An invitation by e-mail that has expired was stored as REVOKED once its address was invited again, and its consumer
-- read that it had revoked it. The release before stores no other state than it did, and passes this one on.
-- squawk-ignore ban-drop-constraint
alter table sourcing.email_invitations drop constraint email_invitations_state_check;
alter table sourcing.email_invitations add constraint email_invitations_state_check
  check (state in ('PENDING', 'REDEEMED', 'CONFIRMED', 'REVOKED', 'EXPIRED')) not valid;
