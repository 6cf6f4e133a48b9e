/** No permission implies another one. */
export const PERMISSIONS = [
  'app:consumer',
  'app:manufacturer',
  'app:ip-owner',
  'app:seller',
  'app:distributor',
  'part:create',
  'part:update',
  'part:publish',
  'part:delete',
  'file:write',
  'rfq:create',
  'rfq:publish',
  'rfq:invite',
  'rfq:award',
  'rfq:cancel',
  'offer:create',
  'offer:submit',
  'offer:withdraw',
  'offer:accept',
  'offer:reject',
  'order:confirm',
  'order:update',
  'order:receive',
  'order:cancel',
  'factory:manage',
  'factory:release',
  'case:read',
  'case:manage',
  'assignment:read',
  'assignment:manage',
  'org:admin',
  'user:manage',
  'role:manage',
  'webhook:manage',
  'platform:operate',
] as const

export type Permission = (typeof PERMISSIONS)[number]

export const ORG_ROLES = ['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR'] as const
export type OrgRole = (typeof ORG_ROLES)[number]

/** Determines which permissions apply to an organization: its roles, and whether it is the platform operator. */
export interface Standing {
  roles: readonly OrgRole[]
  operator: boolean
}

/**
 * Permissions that apply only to organizations with a role. All others apply to every organization, so that one that
 * lost a role can end what it began.
 */
const REQUIRED_ROLES: Partial<Record<Permission, OrgRole>> = {
  'app:consumer': 'CONSUMER',
  'app:manufacturer': 'MANUFACTURER',
  'app:ip-owner': 'IP_OWNER',
  'app:seller': 'SELLER',
  'app:distributor': 'DISTRIBUTOR',
  'part:create': 'IP_OWNER',
  // Otherwise a manufacturer could pose as a buyer and read the prices of its competitors.
  'rfq:create': 'CONSUMER',
  'rfq:publish': 'CONSUMER',
  'rfq:invite': 'CONSUMER',
  'rfq:award': 'CONSUMER',
  'offer:accept': 'CONSUMER',
  'factory:manage': 'MANUFACTURER',
  'factory:release': 'DISTRIBUTOR',
}

/** Whether a permission has an effect in an organization of this standing. */
export function isApplicable(permission: Permission, { roles, operator }: Standing): boolean {
  if (permission === 'platform:operate') return operator
  const role = REQUIRED_ROLES[permission]
  return role === undefined || roles.includes(role)
}

const withPrefixes = (...prefixes: string[]) =>
  PERMISSIONS.filter((permission) => prefixes.some((prefix) => permission.startsWith(prefix)))

/** Roles of every organization, which cannot be changed. `needs`: only for organizations with that role. */
export const SYSTEM_ROLES: readonly { name: string; needs?: OrgRole; permissions: readonly Permission[] }[] = [
  { name: 'Administrator', permissions: PERMISSIONS },
  {
    name: 'Buyer',
    needs: 'CONSUMER',
    permissions: [
      'app:consumer',
      // Documents of RFQs, orders and cases.
      'file:write',
      ...withPrefixes('rfq:'),
      'offer:accept',
      'offer:reject',
      'order:receive',
      'order:cancel',
      ...withPrefixes('case:', 'assignment:'),
    ],
  },
  {
    name: 'IP owner',
    needs: 'IP_OWNER',
    permissions: ['app:ip-owner', ...withPrefixes('part:'), 'file:write', 'case:read'],
  },
  {
    name: 'Manufacturer',
    needs: 'MANUFACTURER',
    permissions: [
      'app:manufacturer',
      'offer:create',
      'offer:submit',
      'offer:withdraw',
      'order:confirm',
      'order:update',
      'factory:manage',
      'file:write',
      ...withPrefixes('case:', 'assignment:'),
    ],
  },
  {
    name: 'Seller',
    needs: 'SELLER',
    permissions: ['app:seller', 'file:write', 'order:update', 'case:read', 'assignment:read'],
  },
  {
    name: 'Distributor',
    needs: 'DISTRIBUTOR',
    permissions: ['app:distributor', 'factory:release', 'case:read', 'assignment:read'],
  },
  { name: 'Viewer', permissions: [] },
]
