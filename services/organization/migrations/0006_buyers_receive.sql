-- The role Buyer also records deliveries and accepts goods. The order of permissions is that of the contract.
update organization.roles set permissions =
  permissions[1:array_position(permissions, 'order:cancel') - 1]
    || '{order:update}' || permissions[array_position(permissions, 'order:cancel'):]
where system and name = 'Buyer' and not 'order:update' = any(permissions);
