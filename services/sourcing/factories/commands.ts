import type { EventName } from '../../../proto/events/events.ts'
import type { Capability, CapabilityInput, Factory } from '../../../proto/http/sourcing/factories.ts'
import type * as api from '../../../proto/http/sourcing/factory-administration.ts'
import { MAX_FACTORIES } from '../../../proto/http/sourcing/factory-administration.ts'
import { FACTORY } from '../../../proto/states/factories.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireTransition } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, refuse, requireValid } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import * as queries from './queries.ts'
import { lockCatalogs, resolveCapabilities } from './references.ts'
import { capabilitiesOf, capabilityProblems, patchedContent, stateOf } from './rules.ts'

/** Creates an active factory of the caller's organization. */
export async function createFactory({ tx, caller, body, now, audit }: CommandOf<typeof api.createFactory>) {
  const { orgId } = caller
  await queries.lockFactoriesOf(tx, orgId)
  const capabilities = await resolved(tx, body.capabilities ?? [])
  const [existing] = await queries.countFactories(tx, orgId)
  if (existing.count >= MAX_FACTORIES)
    throw refuse('limit_reached', { detail: `An organization has at most ${MAX_FACTORIES} factories.` })

  const { name, internal = false, address } = body
  const id = newId('factory')
  await queries.insertFactory(tx, { id, orgId, name, internal, address }, now)
  await queries.insertCapabilities(tx, id, capabilities)
  audit.add({ factoryId: id })
  await emitFactoryEvent(tx, 'created', id, orgId)
  const { document } = found(await queries.lockOwnFactory(tx, orgId, id))
  return JSON.parse(document) as Factory
}

/** The capabilities with the process types of their technologies. Throws 400 with the positions of unknown ids. */
async function resolved(tx: Tx, sent: readonly CapabilityInput[]): Promise<Capability[]> {
  await lockCatalogs(tx)
  const references = await resolveCapabilities(tx, sent)
  requireValid(capabilityProblems(sent, references))
  return capabilitiesOf(sent, references)
}

/** Changes an own factory. A patch without a change emits no event. */
export async function patchFactory({
  tx,
  caller: { orgId },
  params,
  body,
  ifMatch,
  now,
}: CommandOf<typeof api.patchFactory>): Promise<JsonText> {
  const { document } = found(await queries.lockOwnFactory(tx, orgId, params.id))
  requireMatch(ifMatch, document)
  const factory: Factory = JSON.parse(document)
  const content = patchedContent(factory, body)
  if (Bun.deepEquals(content, patchedContent(factory, {}))) return new JsonText(document)
  const changed = found(await queries.updateFactory(tx, { id: factory.id, orgId, ...content }, now))
  await emitFactoryEvent(tx, 'updated', factory.id, orgId)
  return new JsonText(changed.document)
}

/** Replaces the capabilities of an own factory. Of two concurrent calls the later one wins, without `If-Match`. */
export async function replaceCapabilities({
  tx,
  caller: { orgId },
  params,
  body,
  ifMatch,
  now,
}: CommandOf<typeof api.replaceFactoryCapabilities>): Promise<JsonText> {
  const { document } = found(await queries.lockOwnFactory(tx, orgId, params.id))
  const capabilities = await resolved(tx, body.capabilities)
  requireMatch(ifMatch, document)
  const factory: Factory = JSON.parse(document)
  if (Bun.deepEquals(capabilities, factory.capabilities)) return new JsonText(document)
  await queries.deleteCapabilities(tx, factory.id)
  await queries.insertCapabilities(tx, factory.id, capabilities)
  const changed = found(await queries.touchFactory(tx, orgId, factory.id, now))
  await emitFactoryEvent(tx, 'capabilitiesChanged', factory.id, orgId)
  return new JsonText(changed.document)
}

const EVENT_NAMES = { activate: 'activated', deactivate: 'deactivated' } as const
type FactoryMove = keyof typeof EVENT_NAMES

/** Activates or deactivates an own factory; of two concurrent calls one gets 409. */
export async function moveFactory(
  verb: FactoryMove,
  { tx, caller: { orgId }, params, now }: CommandOf<(typeof api)[`${FactoryMove}Factory`]>,
): Promise<JsonText> {
  const factory = found(await queries.lockOwnFactory(tx, orgId, params.id))
  requireTransition(FACTORY, verb, stateOf(factory))
  const moved = found(await queries.setActive(tx, orgId, params.id, FACTORY.verbs[verb].to === 'ACTIVE', now))
  await emitFactoryEvent(tx, EVENT_NAMES[verb], params.id, orgId)
  return new JsonText(moved.document)
}

const emitFactoryEvent = (
  tx: Tx,
  name: Exclude<EventName<'sourcing.factory'>, 'released' | 'withdrawn'>,
  factoryId: string,
  orgId: string,
) =>
  emit(tx, {
    type: `sourcing.factory.${name}`,
    tenantId: orgId,
    subject: factoryId,
    data: { factoryId, orgId },
  })
