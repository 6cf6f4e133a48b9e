import type { ServiceName } from './services.ts'

/**
 * The path prefixes of each service, for the ingress, the local gateway and the documents. A prefix matches whole path
 * elements (`/v1/parts` and below). Identity serves all other paths.
 */
export const PATHS = {
  identity: [
    '/v2.3/oauth',
    '/.well-known/jwks.json',
    '/.well-known/oauth-authorization-server',
    '/.well-known/security.txt',
    '/docs',
    '/console',
    '/openapi.json',
    '/openapi-3.0.json',
    '/asyncapi.json',
    '/llms.txt',
    '/clients',
    '/activate',
    '/impersonate',
    '/mail-address',
    '/flows/v1',
    '/flows/v1/sso/token',
  ],
  catalog: [
    '/v1/categories',
    '/v1/categories:batch-get',
    '/v1/criticalities',
    '/v1/criticalities:batch-get',
    '/v1/materials',
    '/v1/materials:batch-get',
    '/v1/processes',
    '/v1/processes:batch-get',
    '/v1/standards',
    '/v1/standards:batch-get',
    '/v1/technologies',
    '/v1/technologies:batch-get',
    '/v1/unspsc-categories',
    '/v1/unspsc-categories:batch-get',
  ],
  sourcing: [
    '/v1/factories',
    '/v1/factories:batch-get',
    '/v1/offers',
    '/v1/orders',
    '/v1/parts',
    '/v1/rfqs',
    '/v1/uploads',
    '/files',
    '/flows/v1/parts',
    '/flows/v1/part-imports',
    '/flows/v1/parts:batch-get',
    '/flows/v1/factories',
    '/flows/v1/factory-releases',
    '/flows/v1/rfqs',
    '/flows/v1/email-invitations',
    '/flows/v1/rfq-packages',
    '/flows/v1/offers',
    '/flows/v1/orders',
    '/flows/v1/imports',
    '/flows/v1/cases',
    '/flows/v1/tasks',
    '/flows/v1/inbox',
    '/flows/v1/assignments',
    '/flows/v1/subscriptions',
    '/flows/v1/sales-agreements',
    '/flows/v1/distributor',
    '/flows/v1/suppliers',
    '/flows/v1/suppliers:batch-get',
  ],
  organization: [
    '/v1/audit-log',
    '/v1/orgs',
    '/v1/orgs:batch-get',
    '/v1/roles',
    '/v1/users',
    '/flows/v1/audit-log',
    '/flows/v1/orgs',
    '/flows/v1/identity-providers',
    '/flows/v1/mail-addresses',
    '/flows/v1/me',
    '/flows/v1/notification-settings',
    '/flows/v1/password-resets',
    '/flows/v1/registrations',
    '/flows/v1/roles',
    '/flows/v1/service-accounts',
    '/flows/v1/sign-in-settings',
    '/flows/v1/sso',
    '/flows/v1/unsubscriptions',
    '/flows/v1/users',
    '/flows/v1/business-units',
    '/flows/v1/custom-fields',
    '/scim/v2',
  ],
  webhooks: ['/v2.3/webhooks', '/flows/v1/webhooks'],
} as const satisfies Record<ServiceName, readonly string[]>

const byPrefix = new Map<string, ServiceName>(
  (Object.keys(PATHS) as ServiceName[]).flatMap((owner) => PATHS[owner].map((prefix) => [prefix, owner] as const)),
)

/** The service of a path; identity for a path without a prefix. */
export const ownerOf = (path: string): ServiceName => listedOwnerOf(path) ?? 'identity'

/** The service of a path, by the longest matching prefix; undefined for a path without one. */
export function listedOwnerOf(path: string): ServiceName | undefined {
  let prefix = path.includes('%') ? path.replace(/%3a/gi, ':') : path
  while (prefix.length > 1) {
    const owner = byPrefix.get(prefix)
    if (owner) return owner
    prefix = prefix.slice(0, prefix.lastIndexOf('/'))
  }
  return undefined
}
