import type { Bus } from '../../kit/bus/bus.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import type { MailLinks } from './links.ts'

const KINDS = { 'identity.passkey.added': 'PASSKEY_ADDED', 'identity.passkey.removed': 'PASSKEY_REMOVED' } as const

export const PASSKEY_CONSUMER = 'passkey-mails'

/** Tells people by mail of a passkey that was added or removed. */
export const passkeyMailer = ({ bus, links, now }: { bus: Bus; links: MailLinks; now: () => string }): Worker =>
  bus.consume({
    name: PASSKEY_CONSUMER,
    subjects: ['identity.passkey.added', 'identity.passkey.removed'],
    handle: (tx, { type, data: { userId, orgId } }) => links.tell(tx, { kind: KINDS[type], orgId, userId }, now()),
  })
