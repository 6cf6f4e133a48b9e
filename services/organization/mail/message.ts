import { CONFIRMATION_HOURS } from '../../../proto/http/organization/mail-addresses.ts'
import { REGISTRATION_HOURS } from '../../../proto/http/organization/registrations.ts'
import type { ClaimedMail } from './queries.ts'
import type { Message } from './smtp.ts'
import { type Line, type Link, lineOf, type ReadRecords, shownTime, unlinked } from './texts.ts'

interface Content {
  subject: string
  paragraphs: string[]
  lines?: Line[]
  footer?: Link[]
}

export interface Sender {
  /** `MAIL_FROM`. */
  from: string
  publicUrl: string
  /** Whether news have links to the console. */
  hasConsole: boolean
  /** Whether a company can register itself. */
  hasRegistration: boolean
}

const NAME = 'Sourcing and Manufacturing Marketplace'
const MAX_SUBJECT_CHARACTERS = 150

const mailAddressUrl = (publicUrl: string, action: 'confirm' | 'remove', token: string) =>
  `${publicUrl}/mail-address#${action}=${token}`

/** The mail as it is sent. A repetition has the same Message-ID, by which mail programs recognise it. */
export async function messageOf(
  { from, publicUrl, hasConsole, hasRegistration }: Sender,
  mail: ClaimedMail,
  secret: string | undefined,
  records: ReadRecords,
): Promise<Message> {
  const content = contentOf(mail, secret, records, { publicUrl, hasConsole, hasRegistration })
  const token = mail.unsubscribe_token
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const composed = new MailComposer({
    from,
    to: { name: '', address: mail.email },
    subject: oneLine(content.subject).slice(0, MAX_SUBJECT_CHARACTERS).toWellFormed(),
    text: textOf(content),
    html: htmlOf(content),
    messageId: `<${mail.id}@${new URL(publicUrl).hostname}>`,
    date: mail.sealed_at,
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(mail.kind === 'NOTICE' && token
        ? {
            'List-Unsubscribe': `<${publicUrl}/flows/v1/unsubscriptions?token=${token}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }
        : {}),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile()
  // The domains are in ASCII there.
  const envelope = composed.getEnvelope()
  return { from: envelope.from || '', to: envelope.to[0] ?? '', raw: await composed.build() }
}

function contentOf(
  mail: ClaimedMail,
  secret: string | undefined,
  records: ReadRecords,
  site: Omit<Sender, 'from'>,
): Content {
  if (mail.kind === 'NOTICE') return noticeContent(mail, records, site.publicUrl, site.hasConsole)
  if (mail.kind === 'RFQ_INVITATION') return invitationContent(mail, secret, site)
  if (mail.registration) return applicantContent(mail, secret, site)
  const ofPasskeys = PASSKEY_TEXTS.get(mail.kind)
  return ofPasskeys ? passkeyContent(mail, ofPasskeys, site) : linkContent(mail, secret, site.publicUrl)
}

const PASSKEY_TEXTS = new Map<ClaimedMail['kind'], readonly [subject: string, text: string]>([
  ['PASSKEY_ADDED', ['A passkey was added to your account', 'a passkey was added to your account at the']],
  ['PASSKEY_REMOVED', ['A passkey was removed from your account', 'a passkey was removed from your account at the']],
  ['PASSKEYS_RESET', ['Your passkeys were reset', 'an administrator removed all passkeys of your account at the']],
])

/** Tells the person about the change, and what to do if someone else made it. */
function passkeyContent(
  { given_name, org_name, kind, created_at }: ClaimedMail,
  [subject, text]: readonly [subject: string, text: string],
  { publicUrl, hasConsole }: Pick<Sender, 'publicUrl' | 'hasConsole'>,
): Content {
  const remedy =
    kind === 'PASSKEYS_RESET'
      ? 'All sessions have ended. Sign in with your password; you can then register a new passkey.'
      : `If it was not you, change your password, check your passkeys, and tell an administrator of ${unlinked(org_name)}.`
  return {
    subject,
    paragraphs: [`Hello ${unlinked(given_name ?? '')},`, `${text} ${NAME}, at ${shownTime(created_at)}.`, remedy],
    lines: hasConsole ? [{ text: 'Your account', url: `${publicUrl}/console/account` }] : [],
  }
}

/** Mails to applicants. The name is their own input. */
function applicantContent(
  { kind, registration }: ClaimedMail,
  secret: string | undefined,
  { publicUrl, hasConsole }: Pick<Sender, 'publicUrl' | 'hasConsole'>,
): Content {
  const { name = '', givenName = '', reason = '' } = registration ?? {}
  const [company, person] = [unlinked(name), unlinked(givenName)]
  if (kind === 'REGISTRATION') {
    return {
      subject: `Confirm your registration at ${NAME}`,
      paragraphs: [
        `Hello ${person},`,
        `someone registered ${company} at the ${NAME} with this address. Confirm it within ${REGISTRATION_HOURS} hours. If it was not you, do nothing: the registration is deleted.`,
      ],
      lines: [{ text: 'Confirm the registration', url: `${publicUrl}/console/register#${secret}` }],
    }
  }
  if (kind === 'REGISTERED') {
    return {
      subject: `You already have an account at ${NAME}`,
      paragraphs: [
        `someone tried to register a company at the ${NAME} with this address, which already has an account. Nothing has changed.`,
        'If it was you, sign in, or choose a new password on the sign-in page.',
      ],
      lines: hasConsole ? [{ text: 'Sign in', url: `${publicUrl}/console` }] : [],
    }
  }
  return {
    subject: `Your registration at ${NAME}`,
    paragraphs: [
      `Hello ${person},`,
      `the operator of the ${NAME} did not accept the registration of ${company}.`,
      unlinked(reason),
    ],
  }
}

/** The mail to an invited address. It is the same whether or not the address is registered. */
function invitationContent(
  mail: ClaimedMail,
  secret: string | undefined,
  { publicUrl, hasRegistration }: Pick<Sender, 'publicUrl' | 'hasRegistration'>,
): Content {
  const orgName = unlinked(mail.org_name)
  return {
    subject: `${orgName} asks you for a quotation`,
    paragraphs: [
      'Hello,',
      `${orgName} asks your company for a quotation (RFQ ${mail.rfq_serial_number}) at the ${NAME}.`,
      `An administrator of your company opens the link${hasRegistration ? '; a new company registers first' : ''}. ${orgName} then confirms the invitation, and you can read the request. The link works once, until ${shownTime(mail.link_expires_at ?? mail.expires_at)}. If you do not know ${orgName}, do nothing.`,
    ],
    lines: [{ text: 'Open the invitation', url: `${publicUrl}/console/invitation#${secret}` }],
  }
}

function linkContent({ kind, ...mail }: ClaimedMail, secret: string | undefined, publicUrl: string): Content {
  const [orgName, givenName] = [unlinked(mail.org_name), unlinked(mail.given_name ?? '')]
  if (kind === 'CONFIRMATION') {
    return {
      subject: 'Confirm your address',
      paragraphs: [
        mail.user_id === null
          ? `${orgName} wants to send its ${NAME} notifications to this address.`
          : `You asked to receive your ${NAME} notifications at this address.`,
        `Confirm it within ${CONFIRMATION_HOURS} hours. If you do nothing, for example because you do not know the organization, you get no further mail.`,
      ],
      lines: [{ text: 'Confirm this address', url: mailAddressUrl(publicUrl, 'confirm', secret ?? '') }],
    }
  }
  return {
    subject: kind === 'INVITATION' ? `Your account at ${NAME}` : 'Choose a new password',
    paragraphs: [
      `Hello ${givenName},`,
      reasonOf(kind, orgName, mail.is_applicant),
      `The link works once, until ${shownTime(mail.link_expires_at ?? mail.expires_at)}.`,
    ],
    lines: [{ text: 'Choose a password', url: `${publicUrl}/activate#${secret}` }],
  }
}

function reasonOf(kind: ClaimedMail['kind'], orgName: string, isApplicant: boolean): string {
  if (kind === 'INVITATION' && isApplicant) {
    return `the operator of the ${NAME} admitted ${orgName}. Choose a password to get started.`
  }
  if (kind === 'INVITATION') {
    return `an administrator of ${orgName} created an account for you at the ${NAME}. Choose a password to get started.`
  }
  return kind === 'RESET'
    ? `an administrator of ${orgName} reset your password at the ${NAME}. The old one no longer works.`
    : `someone requested a new password for your account at the ${NAME}. If it was not you, ignore this mail: your password stays unchanged.`
}

function noticeContent(mail: ClaimedMail, records: ReadRecords, publicUrl: string, hasConsole: boolean): Content {
  const consoleUrl = hasConsole ? `${publicUrl}/console` : undefined
  const lines = mail.items.map((item) => lineOf(item, records, consoleUrl))
  const count = lines.length + mail.omitted
  const first = lines[0]?.text ?? ''
  return {
    subject: count === 1 ? first : `${first}, and ${count - 1} more`,
    paragraphs: [`Notifications for ${unlinked(mail.org_name)}:`],
    lines: mail.omitted > 0 ? [...lines, { text: `And ${mail.omitted} more`, url: consoleUrl }] : lines,
    footer: [
      ...(consoleUrl
        ? [
            mail.user_id === null
              ? { text: 'Choose what your organization receives', url: `${consoleUrl}/organization/mail` }
              : { text: 'Your notifications', url: `${consoleUrl}/account` },
          ]
        : []),
      {
        text: mail.user_id === null ? 'Remove this address' : 'Unsubscribe',
        url: mailAddressUrl(publicUrl, 'remove', mail.unsubscribe_token ?? ''),
      },
    ],
  }
}

/** A line break would begin another header. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')

const textOf = ({ paragraphs, lines = [], footer = [] }: Content) =>
  [
    paragraphs.map(oneLine).join('\n\n'),
    lines.map(({ text, url }) => (url ? `${oneLine(text)}\n${url}` : oneLine(text))).join('\n\n'),
    ...(footer.length > 0 ? [`--\n${footer.map(({ text, url }) => `${text}: ${url}`).join('\n')}`] : []),
  ].join('\n\n')

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string) => oneLine(text).replace(/[&<>"']/g, (character) => ESCAPES[character] as string)

const anchor = ({ text, url }: Line) => (url ? `<a href="${escaped(url)}">${escaped(text)}</a>` : escaped(text))

const htmlOf = ({ subject, paragraphs, lines = [], footer = [] }: Content) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head>
<body style="font-family: sans-serif; line-height: 1.5; max-width: 40em">
${paragraphs.map((text) => `<p>${escaped(text)}</p>`).join('\n')}
<ul>
${lines.map((line) => `<li>${anchor(line)}</li>`).join('\n')}
</ul>
${footer.map((line) => `<p style="font-size: smaller">${anchor(line)}</p>`).join('\n')}
</body></html>
`
