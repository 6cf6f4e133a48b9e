-- Consumers receive goods and complete orders with a permission of its own. The order of permissions is that of the
-- contract.
update organization.roles role set permissions =
  permissions[1:array_position(permissions, 'order:update')]
    || '{order:receive}' || permissions[array_position(permissions, 'order:update') + 1:]
from organization.organizations org
where org.id = role.org_id and ('CONSUMER' = any(org.roles) or role.system and role.name = 'Administrator')
  and 'order:update' = any(permissions) and not 'order:receive' = any(permissions);
update organization.roles set permissions = array_remove(permissions, 'order:update')
where system and name = 'Buyer';
update organization.roles set permissions = permissions || '{assignment:manage}'
where system and name = 'Buyer' and not 'assignment:manage' = any(permissions);
