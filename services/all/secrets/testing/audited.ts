import { expect } from 'bun:test'
import { caseOf } from '../../testing/cases.ts'
import { codeIn, DOCUMENTED, type Documented } from '../../testing/document.ts'
import type { Input } from '../../testing/inputs.ts'
import { type Account, WORLD_SETTINGS, World } from '../../testing/world.ts'
import { testMarketplace } from '../../testing.ts'
import { type Entry, EntryReader } from './entries.ts'

export const commands = DOCUMENTED.filter(({ contract }) => contract.audit)
export const named = (operations: readonly Documented[]) =>
  operations.map((operation) => [operation.id, operation] as const)

/** A world of its own for each file, in which a request is answered together with the audit entries that it left. */
export async function auditedWorld() {
  const world = new World(await testMarketplace(WORLD_SETTINGS))
  const log = new EntryReader(world.market.db.owner)

  async function sent(account: Account | undefined, operation: Documented, input: Input) {
    const { result, entries } = await log.during(() => world.send(account, operation, input))
    return { status: result.status, code: codeIn(result.body), text: result.text, entries }
  }

  return {
    world,
    log,
    sent,
    administratorOf: (operation: Documented) => world.account(caseOf(operation).by ?? 'owner', 'administrator'),
    powerlessOf: (operation: Documented) => world.account(caseOf(operation).by ?? 'owner', 'powerless'),
  }
}

export const entryOf = (operation: Documented, { orgId, userId }: Account, error: string | null = null) => ({
  procedure: operation.contract.audit?.procedure,
  success: error === null,
  error,
  orgId,
  actorId: userId,
  // Who redeems a grant acts under it from there on.
  grantId: operation.id === 'redeemImpersonationGrant' ? expect.any(String) : null,
})

export const withoutRequest = (entries: Entry[]): object[] => entries.map(({ request, ...entry }) => entry)
