import type { EventData } from '../../../proto/events/events.ts'
import type { Bus } from '../../kit/bus/bus.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import type { MailLinks } from './links.ts'

const KINDS = { 'identity.passkey.added': 'PASSKEY_ADDED', 'identity.passkey.removed': 'PASSKEY_REMOVED' } as const
type PasskeyEvent = keyof typeof KINDS

export const PASSKEY_CONSUMER = 'passkey-mails'

/** Tells people by mail of a passkey that was added or removed. */
export const passkeyMailer = ({ bus, links, now }: { bus: Bus; links: MailLinks; now: () => string }): Worker =>
  bus.consume({
    name: PASSKEY_CONSUMER,
    subjects: Object.keys(KINDS),
    handle: (tx, { type, data }) => {
      const { userId, orgId } = data as EventData<PasskeyEvent>
      return links.tell(tx, { kind: KINDS[type as PasskeyEvent], orgId, userId }, now())
    },
  })
