import { computed, signal } from '@preact/signals'
import type { Actor, StateTable, Transition } from '../../../../proto/states/state-table.ts'
import type { Me, Permission } from './api.ts'

/** The caller; undefined until it has been read. */
export const me = signal<Me | undefined>(undefined)
export const orgId = computed(() => me.value?.organization.id ?? '')

export const can = (...anyOf: Permission[]) => anyOf.some((permission) => me.value?.permissions.includes(permission))

/** The permissions that operations need, from the contract; the bundler writes them. */
declare const PERMISSIONS_NEEDED: Readonly<Record<string, Permission[]>>

/** The operations that are refused during an impersonation, from the contract. */
declare const CLOSED_TO_IMPERSONATIONS: readonly string[]

/** Whether the caller may use an operation, such as `POST /flows/v1/rfqs/{id}/award`. */
export const permits = (operation: string) =>
  can(...(PERMISSIONS_NEEDED[operation] ?? [])) &&
  !(me.value?.impersonation && CLOSED_TO_IMPERSONATIONS.includes(operation))

/** The organizations of a record, as far as it names them. */
interface Parties {
  consumerOrgId?: string | undefined
  ipOwnerOrgId?: string | undefined
  manufacturerOrgId?: string | undefined
  manufacturerIds?: string[] | undefined
  sellerOrgId?: string | undefined
  orgId?: string | undefined
  assigneeOrgId?: string | undefined
  closedByOrgId?: string | undefined
}

/** Whether the caller's organization is one of those that a verb belongs to. */
export function is(actor: Actor, record: Parties): boolean {
  const own = orgId.value
  if (actor === 'consumer') return record.consumerOrgId === own
  if (actor === 'ipOwner') return record.ipOwnerOrgId === own
  if (actor === 'manufacturer') return record.manufacturerOrgId === own
  if (actor === 'seller') return record.sellerOrgId === own
  if (actor === 'closer') return record.closedByOrgId === own
  if (actor === 'assignee') return record.assigneeOrgId === own
  if (actor === 'owner') return record.orgId === own
  if (actor === 'invitee') return record.manufacturerIds?.includes(own) === true && record.consumerOrgId !== own
  return actor === 'party'
}

const COLLECTIONS: Record<string, string> = {
  RFQ: 'rfqs',
  part: 'parts',
  offer: 'offers',
  order: 'orders',
  factory: 'factories',
  assignment: 'assignments',
  case: 'cases',
  subscription: 'subscriptions',
}
const METHODS: Record<string, string> = { patch: 'PATCH', delete: 'DELETE' }
/** The verbs of orders whose path has another name. */
const PATHS: Record<string, string> = { addShipment: 'shipments', change: 'change-requests', settle: 'complete' }

function operationOf(record: string, verb: string): string {
  const path = `/flows/v1/${COLLECTIONS[record]}/{id}`
  if (verb === 'updateFiles' || verb === 'removeFiles') return `PATCH ${path}/files`
  const name = PATHS[verb] ?? verb.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return METHODS[verb] ? `${METHODS[verb]} ${path}` : `POST ${path}/${name}`
}

/** Whether the state table and the permissions of the caller allow a verb. Guards are left to the marketplace. */
export function mayUse<S extends string, V extends Readonly<Record<string, Transition<S>>>>(
  table: StateTable<S, V>,
  verb: keyof V & string,
  record: Parties & { state: S },
): boolean {
  const transition: Transition<S> | undefined = table.verbs[verb]
  if (!transition?.from.includes(record.state)) return false
  return transition.by.some((actor) => is(actor, record)) && permits(operationOf(table.record, verb))
}
