import type * as api from '../../../proto/http/organization/sign-in-settings.ts'
import type { SignInSettings } from '../../../proto/http/organization/sign-in-settings.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { emitOrganizationChanged } from '../authority/events.ts'
import * as queries from './queries.ts'

/** The organization is locked. A patch without a change emits no event. */
export async function patchSettings(
  { publicUrl }: { publicUrl: string },
  { tx, caller, body, ifMatch }: CommandOf<typeof api.patchSignInSettings>,
): Promise<SignInSettings> {
  const settings = found(await queries.findSettings(tx, caller.orgId))
  requireMatch(ifMatch, settings)
  const { secondFactor = settings.secondFactor } = body
  if (secondFactor === settings.secondFactor) return settings
  if (secondFactor && (await queries.findPasskey(tx, caller, new URL(publicUrl).hostname)).length === 0)
    throw refuse('conflict', { detail: 'You have no passkey. Add one to your own account first.' })
  await queries.updateSettings(tx, caller.orgId, secondFactor)
  await emitOrganizationChanged(tx, caller.orgId)
  return { secondFactor }
}
