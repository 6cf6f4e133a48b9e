import type { EventData } from '../../../proto/events/events.ts'
import type * as api from '../../../proto/http/sourcing/factory-administration.ts'
import { noSuch } from '../../../proto/messages.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, invalidField, refuse } from '../../kit/errors/refusal.ts'
import { deleteRelease, findEngaged, findWithdrawable, insertRelease, lockReleasable } from './queries.ts'

/** Releases a factory to an organization engaged through the caller's; of two concurrent calls one gets 409. */
export async function releaseFactory({
  tx,
  caller,
  params,
  body,
  now,
}: CommandOf<typeof api.releaseFactory>): Promise<JsonText> {
  const release = { factoryId: params.id, orgId: body.orgId, distributorOrgId: caller.orgId }
  const { name, document } = found(await lockReleasable(tx, params.id))
  await requireEngaged(tx, release)
  if ((await insertRelease(tx, release, name, now)).length === 0) {
    throw refuse('conflict', { detail: 'The factory is already released to this organization.' })
  }
  await emitRelease(tx, 'released', release)
  return new JsonText(document)
}

/** Withdraws a release. The answer is the factory where the distributor can still read it, otherwise no content. */
export async function withdrawFactory({
  tx,
  caller,
  params,
  body,
}: CommandOf<typeof api.withdrawFactory>): Promise<JsonText | undefined> {
  const release = { factoryId: params.id, orgId: body.orgId, distributorOrgId: caller.orgId }
  const { document } = found(await findWithdrawable(tx, caller.orgId, body.orgId, params.id))
  await requireEngaged(tx, release)
  if ((await deleteRelease(tx, release)).length === 0) {
    throw refuse('conflict', { detail: 'The factory is not released to this organization.' })
  }
  await emitRelease(tx, 'withdrawn', release)
  return document === null ? undefined : new JsonText(document)
}

type Release = EventData<'sourcing.factory.released'>

async function requireEngaged(tx: Tx, { distributorOrgId, orgId }: Release): Promise<void> {
  if ((await findEngaged(tx, distributorOrgId, orgId)).length === 0) {
    throw invalidField('orgId', noSuch('organization', orgId, 'that is engaged through yours'))
  }
}

const emitRelease = (tx: Tx, name: 'released' | 'withdrawn', data: Release) =>
  emit(tx, {
    type: `sourcing.factory.${name}`,
    tenantId: data.distributorOrgId,
    subject: data.factoryId,
    data,
  })
