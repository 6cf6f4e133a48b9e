-- The roles Buyer and Seller also add documents. The order of permissions is that of the contract.
update organization.roles set permissions = permissions[1:1] || '{file:write}' || permissions[2:]
where system and name in ('Buyer', 'Seller') and not 'file:write' = any(permissions);
