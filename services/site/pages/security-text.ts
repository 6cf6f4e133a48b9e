import { DAY_MS } from '../../../proto/durations.ts'
import { Raw } from '../../kit/http/raw.ts'

/** RFC 9116 wants an expiry within a year. The text comes from a setting, so it is as fresh as the deployment. */
const DAYS = 90

interface SecurityText {
  publicUrl: string
  /** URIs, separated by spaces, the preferred one first. */
  contact: string
  now: string
}

/** How to report a vulnerability, as RFC 9116 describes it. It expires at a midnight, so that it is equal for a day. */
export function securityText({ publicUrl, contact, now }: SecurityText): Raw {
  const expires = new Date((Math.floor(Date.parse(now) / DAY_MS) + DAYS) * DAY_MS)
  const lines = [
    ...contact.split(' ').map((uri) => `Contact: ${uri}`),
    `Expires: ${expires.toISOString()}`,
    `Canonical: ${publicUrl}/.well-known/security.txt`,
  ]
  return new Raw(`${lines.join('\n')}\n`, 'text/plain; charset=utf-8')
}
