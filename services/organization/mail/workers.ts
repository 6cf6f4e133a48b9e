import type { Kit } from '../../kit/service/service.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import type { OrganizationConfig } from '../config.ts'
import { INVITATION_CONSUMER, invitationMailer } from './email-invitations.ts'
import { inboxMailer } from './inbox.ts'
import { MAIL_CONSUMER, mailIngest } from './ingest.ts'
import { mailJob } from './job.ts'
import { mailMetrics } from './metrics.ts'
import { measureMails } from './queries.ts'
import { smtpServerOf } from './smtp.ts'

/** The workers of mail. Where the marketplace sends no mail, the position of its consumer is forgotten. */
export function mailWorkers(
  { sql, bus, jobs, box, clock, log, now, registry }: Kit,
  config: OrganizationConfig,
): Worker[] {
  const { SMTP_URL: url, MAIL_FROM: from, MAIL_HOURLY_MAX: hourlyMax } = config
  if (url === undefined || from === undefined) return [bus.forget(MAIL_CONSUMER), bus.forget(INVITATION_CONSUMER)]
  const measure = async () => (bus.isLeader() ? (await measureMails(sql, now()))[0] : undefined)
  mailMetrics(registry, measure)
  const limits = { hourlyMax, timeoutMs: config.MAIL_TIMEOUT_SECONDS * 1000 }
  const { PUBLIC_URL: publicUrl, CONSOLE: hasConsole } = config
  const hasRegistration = config.REGISTRATION !== 'closed'
  const sender = { from, publicUrl, hasConsole, hasRegistration, server: smtpServerOf(url) }
  const delayMs = config.MAIL_DELAY_SECONDS * 1000
  return [
    mailIngest({ bus, clock, delayMs }),
    invitationMailer({ bus, box, now }),
    inboxMailer({ sql, log, clock, delayMs, hour: config.INBOX_MAIL_HOUR }),
    jobs('mails', [mailJob({ sql, box, now, log, ...limits, ...sender })]),
  ]
}
