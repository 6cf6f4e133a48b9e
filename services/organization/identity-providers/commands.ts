import type * as api from '../../../proto/http/organization/identity-providers.ts'
import { type IdentityProvider, MAX_PROVIDERS } from '../../../proto/http/organization/identity-providers.ts'
import { noSuch } from '../../../proto/messages.ts'
import type { AddressGuard } from '../../kit/addresses/guard.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { CommandOf, PreparationOf } from '../../kit/command/command.ts'
import type { Pool, Sql, Tx } from '../../kit/db/client.ts'
import { refuseTaken } from '../../kit/db/failures.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { found, invalidField, refuse, requireRoomFor } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { newSecretToken } from '../../kit/secrets/tokens.ts'
import { permissionsOf, requireHeldPermissions } from '../authority/authority.ts'
import { findUser } from '../authority/queries.ts'
import { requireGrantable } from '../users/commands.ts'
import { domainOf, recordNameOf, recordValueOf } from './domains.ts'
import { askForProof, type ResolveTxt } from './proofs.ts'
import * as queries from './queries.ts'
import { domainStateOf, enforcementProblems, type ProofAnswer } from './rules.ts'
import { providerOf } from './shapes.ts'

export interface ProviderDeps {
  sql: Pool
  guard: AddressGuard
  box: SecretBox
  resolveTxt: ResolveTxt
  publicUrl: string
}

/** The public shape of a provider, or 404. */
export async function readProvider(sql: Sql, orgId: string, id: string, publicUrl: string): Promise<IdentityProvider> {
  const row = found(await queries.findProvider(sql, orgId, id))
  return providerOf(row, await queries.listDomains(sql, orgId, [id]), publicUrl)
}

/** A provider can sign in every user, so changing one requires every permission that a user holds. */
export const requireEveryPermission = async (sql: Sql, caller: Caller): Promise<void> =>
  requireHeldPermissions(caller, await permissionsOf(sql, caller))

/** Creates a provider, whose domains are not proved yet. */
export async function createProvider(
  deps: ProviderDeps,
  { tx, caller, body, now, audit }: CommandOf<typeof api.createIdentityProvider>,
): Promise<IdentityProvider> {
  const { orgId } = caller
  await requireEveryPermission(tx, caller)
  const { defaultRoleIds = [], groupRoles, enforce = false, breakGlassUserId = null } = body
  await requireGrantableRoles(tx, caller, { defaultRoleIds, groupRoles })
  const domains = domainsOf(body.domains)
  if (breakGlassUserId !== null) await requirePerson(tx, orgId, breakGlassUserId)
  requireRoomFor('identity providers', MAX_PROVIDERS, await queries.countProviders(tx, orgId))
  const id = newIdAt('idp', now)
  const content = {
    name: body.name,
    issuer: body.issuer,
    clientId: body.clientId,
    clientSecret: await deps.box.encrypt(body.clientSecret),
    defaultRoleIds: [...new Set(defaultRoleIds)],
    groupsClaim: groupRoles?.claim ?? null,
    groupRoles: groupRoles?.map ?? null,
    breakGlassUserId,
  }
  await queries.insertProvider(tx, { ...content, id, orgId }, now)
  await addDomains(tx, { orgId, providerId: id, domains })
  // A new provider is not tested, so this is a refusal, which names all that is missing.
  if (enforce) await requireEnforceable(tx, orgId, id)
  audit.add({ identityProviderId: id })
  return readProvider(tx, orgId, id, deps.publicUrl)
}

/** Changes a provider. What was tested, and what is at the provider, is void if it becomes another one. */
export async function patchProvider(
  deps: ProviderDeps,
  { tx, caller, params: { id }, body, ifMatch, now }: CommandOf<typeof api.patchIdentityProvider>,
): Promise<IdentityProvider> {
  const { orgId } = caller
  await requireEveryPermission(tx, caller)
  const row = found(await queries.findProvider(tx, orgId, id))
  const current = await readProvider(tx, orgId, id, deps.publicUrl)
  const { defaultRoleIds, groupRoles, breakGlassUserId } = body
  await requireGrantableRoles(tx, caller, {
    defaultRoleIds: defaultRoleIds ?? [],
    groupRoles: groupRoles ?? undefined,
  })
  const domains = body.domains && domainsOf(body.domains)
  if (breakGlassUserId) await requirePerson(tx, orgId, breakGlassUserId)
  requireMatch(ifMatch, current)
  const issuer = body.issuer ?? row.issuer
  const clientId = body.clientId ?? row.clientId
  const isOther = issuer !== row.issuer || clientId !== row.clientId
  const enforce = body.enforce === null ? false : (body.enforce ?? row.enforce)
  if (isOther && row.enforce) {
    const message = 'cannot change while the provider is enforced'
    throw refuse('conflict', { errors: [{ field: issuer === row.issuer ? 'clientId' : 'issuer', message }] })
  }
  const content = {
    name: body.name ?? row.name,
    issuer,
    clientId,
    clientSecret: body.clientSecret === undefined ? row.clientSecret : await deps.box.encrypt(body.clientSecret),
    defaultRoleIds: defaultRoleIds === undefined ? row.defaultRoleIds : [...new Set(defaultRoleIds ?? [])],
    groupsClaim: groupRoles === undefined ? row.groupsClaim : (groupRoles?.claim ?? null),
    groupRoles: groupRoles === undefined ? row.groupRoles : (groupRoles?.map ?? null),
    breakGlassUserId: breakGlassUserId === undefined ? row.breakGlassUserId : breakGlassUserId,
  }
  const isSame =
    body.clientSecret === undefined &&
    (domains === undefined ||
      Bun.deepEquals(
        domains,
        current.domains.map(({ name }) => name),
      ))
  if (isSame && enforce === row.enforce && Bun.deepEquals({ ...row, ...content }, row)) return current
  // The guards of `enforce` look at what the change leaves.
  const isReplaced = isOther || body.clientSecret !== undefined
  await queries.updateProvider(tx, { ...content, id, orgId, isOther: isReplaced }, now)
  if (issuer !== row.issuer) await queries.deleteLinks(tx, id)
  if (domains) {
    await queries.deleteOtherDomains(tx, orgId, id, domains)
    const added = domains.filter((each) => !current.domains.some(({ name }) => name === each))
    await addDomains(tx, { orgId, providerId: id, domains: added })
  }
  if (enforce) await requireEnforceable(tx, orgId, id, { isTested: row.enforce })
  if (enforce) await queries.setEnforced(tx, orgId, id)
  return readProvider(tx, orgId, id, deps.publicUrl)
}

export async function deleteProvider({
  tx,
  caller,
  params: { id },
}: CommandOf<typeof api.deleteIdentityProvider>): Promise<undefined> {
  await requireEveryPermission(tx, caller)
  found(await queries.deleteProvider(tx, caller.orgId, id))
  return undefined
}

/** Asks the DNS before the transaction. Undefined for a domain that the provider does not have. */
export async function prepareProof(
  { sql, resolveTxt }: ProviderDeps,
  { caller, params: { id }, body }: PreparationOf<typeof api.verifyIdentityDomain>,
): Promise<{ asked: { proof: string; answer: ProofAnswer } | undefined }> {
  await requireEveryPermission(sql, caller)
  const name = domainOf(body.domain)
  const domains = await queries.listDomains(sql, caller.orgId, [id])
  const row = domains.find(({ domain }) => domain === name)
  if (!row) return { asked: undefined }
  return { asked: { proof: row.proof, answer: await askForProof(resolveTxt, row) } }
}

/** Proves a domain by its record. A domain belongs to one organization. */
export async function verifyDomain(
  { publicUrl }: ProviderDeps,
  {
    tx,
    caller,
    params: { id },
    body,
    now,
    asked,
  }: CommandOf<typeof api.verifyIdentityDomain> & { asked: { proof: string; answer: ProofAnswer } | undefined },
): Promise<IdentityProvider> {
  const { orgId } = caller
  await requireEveryPermission(tx, caller)
  found(await queries.findProvider(tx, orgId, id))
  const name = domainOf(body.domain)
  const row = (await queries.listDomains(tx, orgId, [id])).find(({ domain }) => domain === name)
  if (!row) throw invalidField('domain', 'is not a domain of the provider')
  if (asked?.proof !== row.proof) throw refuse('conflict', { detail: 'The domain was changed at the same time.' })
  if (asked.answer !== 'PRESENT')
    throw refuse('conflict', { errors: [{ field: 'domain', message: adviceOf(row, asked.answer) }] })
  const isTaken = () =>
    refuse('conflict', { errors: [{ field: 'domain', message: 'belongs to another organization' }] })
  await queries.markProved(tx, orgId, id, row.domain, now).catch(refuseTaken('identity_domains_proved', isTaken))
  return readProvider(tx, orgId, id, publicUrl)
}

const adviceOf = ({ domain, proof }: queries.DomainRow, answer: ProofAnswer) =>
  answer === 'UNANSWERED'
    ? `has name servers that did not answer for ${recordNameOf(domain)}`
    : `has no TXT record ${recordNameOf(domain)} with the value ${recordValueOf(proof)}`

interface GrantedRoles {
  defaultRoleIds: readonly string[]
  groupRoles: { map: Readonly<Record<string, string>> } | undefined
}

/** The caller must hold every permission of the roles that the provider grants. */
async function requireGrantableRoles(tx: Tx, caller: Caller, { defaultRoleIds, groupRoles }: GrantedRoles) {
  await requireGrantable(tx, caller, defaultRoleIds, (_, index) => `defaultRoleIds.${index}`)
  const groups = Object.entries(groupRoles?.map ?? {})
  const groupOf = new Map(groups.toReversed().map(([group, id]) => [id, group]))
  await requireGrantable(tx, caller, [...groupOf.keys()], (id) => `groupRoles.map.${groupOf.get(id)}`)
}

/** The domains of names that were checked, each once. */
const domainsOf = (names: readonly string[]) => [...new Set(names.flatMap((name) => domainOf(name) ?? []))].sort()

async function requirePerson(tx: Tx, orgId: string, userId: string): Promise<void> {
  const [user] = await findUser(tx, orgId, userId)
  if (user?.kind !== 'PERSON' || user.anonymised)
    throw invalidField('breakGlassUserId', noSuch('user', userId, 'in your organization'))
}

async function addDomains(
  tx: Tx,
  { orgId, providerId, domains }: { orgId: string; providerId: string; domains: readonly string[] },
): Promise<void> {
  for (const domain of domains) {
    const { token: proof } = newSecretToken()
    if ((await queries.insertDomain(tx, { orgId, providerId, domain, proof })).length === 0) {
      const message = `has ${domain}, which belongs to another provider of your organization`
      throw refuse('conflict', { errors: [{ field: 'domains', message }] })
    }
  }
}

/** `isTested`: the provider was enforced before, so that only its secret can have changed since the test. */
async function requireEnforceable(tx: Tx, orgId: string, id: string, { isTested = false } = {}): Promise<void> {
  const row = found(await queries.findProvider(tx, orgId, id))
  const domains = await queries.listDomains(tx, orgId, [id])
  const userId = row.breakGlassUserId
  const [breakGlass] = userId === null ? [] : await queries.findBreakGlass(tx, orgId, userId)
  const tested = isTested ? { ...row, tested_at: row.updated_at, test_problem: null } : row
  const problems = enforcementProblems(tested, {
    isDomainProved: domains.some((each) => domainStateOf(each) === 'PROVED'),
    canBreakGlass: breakGlass?.has_password ?? false,
  })
  if (problems.length > 0) throw refuse('conflict', { errors: problems })
}
