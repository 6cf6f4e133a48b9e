import { CASE } from '../../../../proto/states/cases.ts'
import { OFFER } from '../../../../proto/states/offers.ts'
import { ORDER } from '../../../../proto/states/orders.ts'
import { PART } from '../../../../proto/states/parts.ts'
import { RFQ } from '../../../../proto/states/rfqs.ts'
import { SUBSCRIPTION } from '../../../../proto/states/subscriptions.ts'

/** What the documentation reads of an operation. */
export interface ShownOperation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  'x-addition'?: boolean
  'x-badges'?: { name: string; color: string }[]
}

export interface ApiDocument {
  info: { title: string; description: string }
  tags: { name: string; 'x-displayName'?: string; description: string }[]
  paths: Record<string, Record<string, ShownOperation>>
  webhooks: Record<string, Record<string, ShownOperation>>
  'x-tagGroups'?: { name: string; tags: string[] }[]
}

/** A resource with its operations, in the order of a record's life. */
export interface Resource {
  name: string
  group: string
  description: string
  operations: (ShownOperation & { method: string; path: string })[]
}

/** The resources by task, those of a trade first. Each has the operations below the first words of paths. */
const GROUPS: Record<string, Record<string, string[]>> = {
  Trade: {
    Parts: ['parts', 'part-imports', 'imports'],
    Files: ['uploads', 'files'],
    Subscriptions: ['subscriptions'],
    'Sales agreements': ['sales-agreements'],
    RFQs: ['rfqs', 'email-invitations', 'distributor'],
    'RFQ packages': ['rfq-packages'],
    Offers: ['offers'],
    Orders: ['orders'],
    Assignments: ['assignments'],
    Cases: ['cases', 'tasks'],
    Inbox: ['inbox'],
    Factories: ['factories', 'factory-releases'],
    Suppliers: ['suppliers'],
  },
  Events: { Webhooks: ['webhooks'] },
  Access: {
    'Sign-in': ['oauth', '.well-known', 'sso'],
    'Identity providers': ['identity-providers'],
    Passkeys: ['passkeys', 'sign-in', 'sign-in-settings'],
    Accounts: ['me', 'password', 'password-resets', 'sessions', 'activations'],
    'Service accounts': ['service-accounts'],
    Impersonation: ['impersonation-grants'],
  },
  Organization: {
    Organizations: ['orgs'],
    Registrations: ['registrations'],
    Users: ['users'],
    Roles: ['roles'],
    'Business units': ['business-units'],
    'Custom fields': ['custom-fields'],
    'Mail addresses': ['mail-addresses', 'unsubscriptions', 'notification-settings'],
    'Audit log': ['audit-log'],
  },
  'Reference data': {
    Materials: ['materials'],
    Processes: ['processes'],
    Technologies: ['technologies'],
    Standards: ['standards'],
    Criticalities: ['criticalities'],
    Categories: ['categories'],
    'UNSPSC categories': ['unspsc-categories'],
  },
}

/** The tables whose verbs are in the order of a record's life. */
const TABLES: Record<string, { verbs: object }> = {
  parts: PART,
  rfqs: RFQ,
  offers: OFFER,
  orders: ORDER,
  cases: CASE,
  subscriptions: SUBSCRIPTION,
}
export const METHODS = ['get', 'post', 'patch', 'put', 'delete']
const FAMILY = /^\/(v1|v2\.3|flows\/v1)\//
const ADDED = ' An addition to the specification.'

/** The words of a path after its family: `/flows/v1/rfqs/{id}/award` is `rfqs`, `{id}`, `award`. */
const wordsOf = (path: string) => path.replace(FAMILY, '/').slice(1).split(/[/:]/)

export function resourcesOf({ paths, tags }: ApiDocument): Resource[] {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [{ ...item[method], method, path }] : [])),
  )
  return Object.entries(GROUPS).flatMap(([group, resources]) =>
    Object.entries(resources).flatMap(([name, words]) => {
      const own = operations.filter(({ path }) => words.includes(wordsOf(path)[0] ?? ''))
      if (own.length === 0) return []
      const sorted = own.sort((a, b) => compare(positionOf(a), positionOf(b)))
      // The tag of the specification describes the resource itself.
      const described = own.find((operation) => !operation['x-addition']) ?? own[0]
      const description = tags.find((tag) => tag.name === described?.tags[0])?.description.replace(ADDED, '') ?? ''
      return [{ name, group, description, operations: sorted }]
    }),
  )
}

/** Collections come before records, reads before changes, and verbs in the order of a record's life. */
function positionOf({ path, method }: { path: string; method: string }): number[] {
  const words = wordsOf(path)
  const verb = words.at(-1)?.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) ?? ''
  const verbs = Object.keys(TABLES[words[0] ?? '']?.verbs ?? {})
  return [words.length, method === 'get' ? 0 : 1, METHODS.indexOf(method), verbs.indexOf(verb)]
}

const compare = (a: number[], b: number[]) => a.map((value, i) => value - (b[i] ?? 0)).find((by) => by !== 0) ?? 0

/** The part of an address that names a resource or an operation in the API reference. */
export const resourceAnchor = (name: string) => `tag/${name.toLowerCase().replaceAll(' ', '-')}`
export const operationAnchor = (name: string, method: string, path: string) =>
  `${resourceAnchor(name)}/${method.toUpperCase()}${path}`

/** The document as the reference shows it: tags are resources, and a badge tells specification from addition. */
export function documentByResource(openapi: ApiDocument): ApiDocument {
  const resources = resourcesOf(openapi)
  const paths: ApiDocument['paths'] = {}
  for (const { name, operations } of resources) {
    for (const { path, method, ...operation } of operations) {
      const badge = operation['x-addition']
        ? { name: 'Addition', color: '#b45309' }
        : { name: 'Specification', color: '#0f766e' }
      paths[path] = { ...paths[path], [method]: { ...operation, tags: [name], 'x-badges': [badge] } }
    }
  }
  const webhooks = Object.fromEntries(
    Object.entries(openapi.webhooks).map(([type, { post }]) => [
      type,
      post ? { post: { ...post, tags: ['Webhooks'] } } : {},
    ]),
  )
  return {
    ...openapi,
    tags: resources.map(({ name, description }) => ({ name, description })),
    paths,
    webhooks,
    'x-tagGroups': Object.keys(GROUPS).map((group) => ({
      name: group,
      tags: resources.filter((resource) => resource.group === group).map(({ name }) => name),
    })),
  }
}
