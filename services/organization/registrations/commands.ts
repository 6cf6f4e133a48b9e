import { DAY_MS, HOUR_MS, timeAfter } from '../../../proto/durations.ts'
import type * as api from '../../../proto/http/organization/registrations.ts'
import {
  createRegistration,
  DECIDED_REGISTRATION_DAYS,
  MAX_REGISTRATIONS_PER_NETWORK,
  REGISTRATION_HOURS,
  type Registration,
  type RegistrationInput,
} from '../../../proto/http/organization/registrations.ts'
import { REGISTRATION } from '../../../proto/states/registrations.ts'
import { emailAddressOf } from '../../kit/addresses/email-addresses.ts'
import { emailSpelling } from '../../kit/addresses/email-spelling.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { clipUserAgent, recordSuccess } from '../../kit/audit/record.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireTransition } from '../../kit/command/transitions.ts'
import { runWithoutCaller } from '../../kit/command/without-caller.ts'
import type { Pool, Sql, Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found, invalid, invalidField, isRefusalOf, notFound, refuse } from '../../kit/errors/refusal.ts'
import { networkOf } from '../../kit/http/client-address.ts'
import type { MessageLog } from '../../kit/log/log.ts'
import { hashOf, newSecretToken } from '../../kit/secrets/tokens.ts'
import type { Kit } from '../../kit/service/service.ts'
import { drain } from '../../kit/worker/batches.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import { notifyOrganizations } from '../mail/ingest.ts'
import { handleOrEnd, type MailLinks } from '../mail/links.ts'
import { addOrganization, type CreatedOrganization } from '../organizations/commands.ts'
import { findOperator } from '../organizations/queries.ts'
import { websiteProblem } from '../organizations/rules.ts'
import { deliverLink, type LinkDeps } from '../users/commands.ts'
import * as queries from './queries.ts'
import { isAdmitted, organizationOf, type RegistrationMode } from './rules.ts'

/** Upper bound of the requests that wait for the worker. */
const MAX_WAITING = 1000
const SWEEP_MS = 1000

export interface RegistrationDeps extends LinkDeps {
  sql: Pool
  mode: RegistrationMode
  /** Time for which the items of a mail are collected. */
  mailDelayMs: number
}

const linkedSince = (now: string) => timeAfter(now, -REGISTRATION_HOURS * HOUR_MS)

/** Stores a request. Nothing is looked up, so that the answer tells nothing about the address. */
export async function requestRegistration(
  deps: RegistrationDeps,
  content: RegistrationInput,
  { ipAddress, userAgent }: AuditContext,
  now: string,
): Promise<undefined> {
  if (!deps.links.sendsMail) throw refuse('mail_unavailable')
  const email = emailAddressOf(content.user.email)
  if (email === undefined) throw invalidField('user.email', 'must be an e-mail address')
  const problem = websiteProblem(content.organization.website)
  if (problem) throw invalid([{ ...problem, field: `organization.${problem.field}` }])
  const { organization, user } = content
  const registration = {
    id: newIdAt('registration', now),
    content: { organization: { ...organization, roles: [...new Set(organization.roles)] }, user },
    email: emailSpelling(email),
    ipAddress,
    network: networkOf(ipAddress),
    userAgent: clipUserAgent(userAgent),
  }
  const max = { waiting: MAX_WAITING, ofNetwork: MAX_REGISTRATIONS_PER_NETWORK } as const
  if ((await queries.insertRegistration(deps.sql, registration, max, now)).length > 0) return
  await deps.sql.begin(async (tx) => {
    await queries.makeRoom(tx, registration.network, max)
    if ((await queries.insertRegistration(tx, registration, max, now)).length === 0)
      throw refuse('rate_limited', { headers: { 'retry-after': '600' } })
  })
}

/** Sends the links of the requests. Every replica runs one; each request is taken by one of them. */
export const registrationWorker = ({ sql, log, now }: Kit, links: MailLinks): Worker =>
  every('registrations', SWEEP_MS, log, (signal) =>
    drain(signal, () => sql.begin((tx) => handleNext({ tx, links, log }, now()))),
  )

/** Whether a request was waiting. An address that has an account gets a mail that says so. */
async function handleNext(
  { tx, links, log }: { tx: Tx; links: MailLinks; log: MessageLog },
  now: string,
): Promise<boolean> {
  if (await links.isApplicantShareUsed(tx, now)) return false
  const [operator] = await findOperator(tx)
  // The mail belongs to the operator, so the request waits until there is one.
  if (!operator) return false
  const [request] = await queries.takeRequest(tx, now)
  if (!request) return false
  const { id: registrationId, email, email_key: key } = request
  const [account] = await queries.findAccount(tx, key)
  const mail = { orgId: operator.id, registrationId, email }
  // A request whose mail cannot be sent is rolled back alone, and has no link.
  await handleOrEnd(tx, log, async (inner) => {
    if (account) {
      await links.sendToApplicant(inner, { ...mail, kind: 'REGISTERED' }, now)
      return recordSuccess(inner, {
        procedure: createRegistration.audit.procedure,
        orgId: account.org_id,
        actorId: account.id,
        ipAddress: request.ip_address ?? undefined,
        userAgent: request.user_agent ?? undefined,
      })
    }
    const { token, hash } = newSecretToken()
    await queries.setLink(inner, registrationId, hash)
    return links.sendToApplicant(inner, { ...mail, kind: 'REGISTRATION', token }, now)
  })
  return true
}

/** What the link confirms. */
export async function introspectRegistration(sql: Sql, token: string, now: string): Promise<RegistrationInput> {
  return found(await queries.findByLink(sql, hashOf(token), linkedSince(now))).content
}

/** Confirms a registration with the token of its link. In the mode `open` it usually also creates the organization. */
export async function confirmRegistration(
  deps: RegistrationDeps,
  token: string,
  auditContext: AuditContext,
  now: string,
): Promise<{ state: 'PENDING' | 'APPROVED'; activationUrl?: string }> {
  return runWithoutCaller(deps.sql, auditContext, async (tx, audit) => {
    await queries.lockRequestsOfLink(tx, hashOf(token))
    const { id, email_key: emailKey, content } = found(await queries.confirm(tx, hashOf(token), linkedSince(now), now))
    await queries.deleteOthersOf(tx, emailKey, id)
    if (!isAdmitted(deps.mode, content.organization.roles)) {
      await notifyOperator(tx, deps, now)
      return { state: 'PENDING' }
    }
    const organization = organizationOf(content)
    const { orgId, administratorId, activationToken } = await admit(tx, id, organization, 'token', now).catch(
      (error) => {
        // The address got an account since the link was sent.
        throw isRefusalOf(error, 'email_taken') ? notFound() : error
      },
    )
    audit.actBy({ orgId, userId: administratorId })
    audit.add({ orgId })
    // The applicant has proved the address with the link.
    const link = { kind: 'INVITATION', orgId, userId: administratorId, token: activationToken } as const
    return { state: 'APPROVED', ...(await deliverLink(tx, deps, link, false, now)) }
  })
}

/** Adds the registration to the next mail of the operator. */
async function notifyOperator(tx: Tx, { links, mailDelayMs }: RegistrationDeps, now: string): Promise<void> {
  const [operator] = links.sendsMail ? await findOperator(tx) : []
  if (!operator) return
  const notice = { kind: 'registrationPending', time: now } as const
  const ofOperator = { orgId: operator.id, recordIds: [], topic: 'CASES', notice } as const
  await notifyOrganizations(tx, [ofOperator], mailDelayMs, now)
}

/** Creates the organization of a registration. */
async function admit(
  tx: Tx,
  id: string,
  organization: ReturnType<typeof organizationOf>,
  emailField: string,
  now: string,
): Promise<CreatedOrganization> {
  const created = await addOrganization(tx, organization, { operator: false, now, emailField })
  await queries.approve(tx, id, created.orgId, now)
  return created
}

const shown = async (tx: Tx, id: string) => withoutNulls(found(await queries.findRegistration(tx, id)))

/**
 * Creates the organization of a registration. Its administrator gets the link by mail, or the operator passes it on.
 */
export async function approveRegistration(
  deps: RegistrationDeps,
  { tx, params: { id }, body, now, audit }: CommandOf<typeof api.approveRegistration>,
): Promise<Registration & { activationUrl?: string }> {
  const { state, content } = found(await queries.lockRegistration(tx, id))
  requireTransition(REGISTRATION, 'approve', state)
  const organization = organizationOf(content, body)
  const { orgId, administratorId, activationToken } = await admit(tx, id, organization, 'user.email', now)
  audit.add({ orgId, roles: organization.roles, name: organization.name })
  const link = { kind: 'INVITATION', orgId, userId: administratorId, token: activationToken } as const
  return { ...(await shown(tx, id)), ...(await deliverLink(tx, deps, link, deps.links.sendsMail, now)) }
}

/** Rejects a registration. The applicant gets the reason by mail. */
export async function rejectRegistration(
  deps: RegistrationDeps,
  { tx, caller, params: { id }, body: { reason }, now }: CommandOf<typeof api.rejectRegistration>,
): Promise<Registration> {
  const { state, email } = found(await queries.lockRegistration(tx, id))
  requireTransition(REGISTRATION, 'reject', state)
  await queries.reject(tx, id, reason, now)
  if (deps.links.sendsMail)
    await deps.links.sendToApplicant(tx, { kind: 'REJECTION', orgId: caller.orgId, registrationId: id, email }, now)
  return shown(tx, id)
}

/**
 * Deletes registrations that were not confirmed in time, and those that were decided long ago. Where mail is sent,
 * requests that wait for theirs stay.
 */
export const cleanUpRegistrations = (
  { sql, sendsMail }: { sql: Pool; sendsMail: boolean },
  now: string,
  signal: AbortSignal,
) =>
  queries.deleteOld(
    sql,
    {
      unconfirmedBefore: linkedSince(now),
      decidedBefore: timeAfter(now, -DECIDED_REGISTRATION_DAYS * DAY_MS),
      waiting: sendsMail,
    },
    signal,
  )
