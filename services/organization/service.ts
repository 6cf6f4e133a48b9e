import { resolveTxt } from 'node:dns/promises'
import { AddressGuard } from '../kit/addresses/guard.ts'
import type { Tx } from '../kit/db/client.ts'
import { KeyedSemaphore } from '../kit/limits/keyed-semaphore.ts'
import { assemble, createKit, type KitOptions, type Service } from '../kit/service/service.ts'
import { every } from '../kit/worker/worker.ts'
import { dropPartitions, ensurePartitions } from './audit-log/queries.ts'
import { auditLogRoutes } from './audit-log/routes.ts'
import { businessUnitRoutes } from './business-units/routes.ts'
import { cleanUpOrganization } from './cleanup/queries.ts'
import type { OrganizationConfig } from './config.ts'
import { customFieldRoutes } from './custom-fields/routes.ts'
import { proofWorker } from './identity-providers/proofs.ts'
import { eraseTester } from './identity-providers/queries.ts'
import { identityProviderRoutes } from './identity-providers/routes.ts'
import { cleanUpMails } from './mail/cleanup.ts'
import { mailLinks } from './mail/links.ts'
import { PASSKEY_CONSUMER, passkeyMailer } from './mail/passkeys.ts'
import { checkServer, smtpServerOf } from './mail/smtp.ts'
import { mailWorkers } from './mail/workers.ts'
import { cleanUpAddresses, forgetAddress } from './mail-addresses/commands.ts'
import { mailAddressRoutes } from './mail-addresses/routes.ts'
import { meRoutes } from './me/routes.ts'
import { eraseProof } from './notification-settings/queries.ts'
import { notificationSettingsRoutes } from './notification-settings/routes.ts'
import { organizationRoutes } from './organizations/routes.ts'
import { resetWorker } from './password-resets/commands.ts'
import { passwordResetRoutes } from './password-resets/routes.ts'
import { cleanUpRegistrations, registrationWorker } from './registrations/commands.ts'
import { deleteRegistrationsOf } from './registrations/queries.ts'
import { registrationRoutes } from './registrations/routes.ts'
import { roleRoutes } from './roles/routes.ts'
import { scimRoutes } from './scim/routes.ts'
import { endKeysOf } from './service-accounts/revocation.ts'
import { serviceAccountRoutes } from './service-accounts/routes.ts'
import { signInSettingsRoutes } from './sign-in-settings/routes.ts'
import { Oidc } from './sso/oidc.ts'
import { ssoRoutes } from './sso/routes.ts'
import { userRoutes } from './users/routes.ts'

/** Concurrent requests to providers, in all and of one organization. */
const PROVIDER_PERMITS = { permits: 64, permitsPerKey: 8 }
const PARTITION_MAINTENANCE_MS = 60 * 60 * 1000

/** Organizations, users, roles and the audit log. */
export async function createOrganizationService(config: OrganizationConfig, options?: KitOptions): Promise<Service> {
  const kit = await createKit('organization', config, options)
  const { http, pagination, sql } = kit
  const sendsMail = config.SMTP_URL !== undefined
  const links = mailLinks(sendsMail ? { box: kit.box, hourlyMax: config.MAIL_HOURLY_MAX } : undefined)
  const addresses = { allowPrivate: config.ALLOW_PRIVATE_ADDRESSES }
  const guard = new AddressGuard(addresses)
  const permits = new KeyedSemaphore({ what: 'requests to identity providers', ...PROVIDER_PERMITS })
  kit.observeConcurrency(permits)
  const oidc = new Oidc({ ...addresses, guard, box: kit.box, permits })
  const proofs = { sql, resolveTxt: options?.resolveTxt ?? resolveTxt, now: kit.now }
  const providers = { ...proofs, guard, box: kit.box, publicUrl: config.PUBLIC_URL }
  const mailDelayMs = config.MAIL_DELAY_SECONDS * 1000
  const userDeps = { http, links, publicUrl: config.PUBLIC_URL }
  const followers = { forgetAddress, erasePersonalData, endKeysOf }
  return assemble('organization', kit, {
    features: [
      auditLogRoutes(kit),
      meRoutes({ http }),
      organizationRoutes({ ...userDeps, pagination }),
      userRoutes({ ...userDeps, pagination, followers }),
      roleRoutes(kit),
      scimRoutes({ http, publicUrl: config.PUBLIC_URL, followers }),
      serviceAccountRoutes({ ...userDeps, pagination }),
      identityProviderRoutes({ ...providers, http, pagination }),
      signInSettingsRoutes({ http, publicUrl: config.PUBLIC_URL }),
      ssoRoutes({ http, sql, oidc, publicUrl: config.PUBLIC_URL, log: kit.log, now: kit.now }),
      businessUnitRoutes(kit),
      customFieldRoutes(kit),
      passwordResetRoutes({ http, sql, sendsMail }),
      ...(config.REGISTRATION === 'closed'
        ? []
        : [registrationRoutes({ ...userDeps, pagination, sql, mode: config.REGISTRATION, mailDelayMs })]),
      notificationSettingsRoutes({ http, links }),
      mailAddressRoutes({ http, pagination, sql, links }),
    ],
    dependencies: mailDependencies(config),
    cleanup: [
      (now, signal) => cleanUpOrganization(sql, now, signal),
      (now, signal) => cleanUpMails(sql, config.MAIL_RETENTION_DAYS, now, signal),
      (now, signal) => cleanUpAddresses(sql, now, signal),
      (now, signal) => cleanUpRegistrations({ sql, sendsMail }, now, signal),
    ],
    workers: [
      ...mailWorkers(kit, config),
      ...(sendsMail
        ? [resetWorker(kit, links), registrationWorker(kit, links), passkeyMailer({ ...kit, links })]
        : [kit.bus.forget(PASSKEY_CONSUMER)]),
      proofWorker({ ...proofs, log: kit.log }),
      every('audit-partitions', PARTITION_MAINTENANCE_MS, kit.log, async () => {
        await ensurePartitions(kit.sql)
        await dropPartitions(kit.sql)
      }),
    ],
  })
}

function mailDependencies({ SMTP_URL: url, MAIL_TIMEOUT_SECONDS: seconds }: OrganizationConfig) {
  if (url === undefined) return []
  return [{ name: 'its SMTP server', check: () => checkServer(smtpServerOf(url), seconds * 1000) }]
}

/** Erases the address and the names of a user outside of `users`. */
async function erasePersonalData(tx: Tx, orgId: string, userId: string): Promise<void> {
  await deleteRegistrationsOf(tx, orgId, userId)
  await eraseTester(tx, orgId, userId)
  await eraseProof(tx, userId)
}
