import { expect } from 'bun:test'
import { type Account, FIXTURE_SETTINGS, Fixtures } from '../fixtures.ts'
import { RACING, testMarketplace } from '../marketplace.ts'
import { codeIn, DOCUMENTED, type Documented } from '../operations/document.ts'
import type { Input } from '../operations/inputs.ts'
import { sampleOf } from '../operations/samples.ts'
import { AuditLogReader, type Entry } from './entries.ts'

export const commands = DOCUMENTED.filter(
  ({ contract: { audit } }) => audit && !audit.refusalsOnly && !audit.isDeferred,
)
export const named = (operations: readonly Documented[]) =>
  operations.map((operation) => [operation.id, operation] as const)

/** A marketplace in which each request returns its response and the audit entries that it wrote. */
export async function auditHarness() {
  const settings = { ...FIXTURE_SETTINGS, ...RACING }
  const fixtures = new Fixtures(await testMarketplace(settings, undefined, { hasWorkers: false }))
  const log = new AuditLogReader(fixtures.market.db.owner)

  async function send(account: Account | undefined, operation: Documented, input: Input) {
    const { result, entries } = await log.during(() => fixtures.send(account, operation, input))
    return { status: result.status, code: codeIn(result.body), text: result.text, entries }
  }

  return {
    fixtures,
    log,
    send,
    administratorOf: (operation: Documented) => fixtures.account(sampleOf(operation).by ?? 'owner', 'administrator'),
    powerlessOf: (operation: Documented) => fixtures.account(sampleOf(operation).by ?? 'owner', 'powerless'),
  }
}

export const entryOf = (operation: Documented, { orgId, userId }: Account, error: string | null = null) => ({
  procedure: operation.contract.audit?.procedure,
  success: error === null,
  error,
  // The actor is the administrator of the organization that the link creates.
  ...(operation.id === 'confirmRegistration'
    ? { orgId: expect.any(String), actorId: expect.any(String) }
    : { orgId, actorId: userId }),
  // Redeeming a grant starts its impersonation.
  grantId: operation.id === 'redeemImpersonationGrant' ? expect.any(String) : null,
})

export const withoutRequest = (entries: Entry[]): object[] => entries.map(({ request, ...entry }) => entry)
