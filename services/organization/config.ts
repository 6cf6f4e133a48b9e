import { type Static, Type } from '@sinclair/typebox'
import { addressVariables } from '../kit/addresses/variables.ts'
import { consoleVariables } from '../kit/config/variables.ts'
import { serviceVariables } from '../kit/service/service.ts'

export const organizationVariables = Type.Object({
  ...serviceVariables.properties,
  ...consoleVariables,
  ...addressVariables,
  SMTP_URL: Type.Optional(
    Type.String({
      secret: true,
      pattern: '^smtps?://[^/?#\\s]+/?$',
      description:
        'SMTP server: `smtps://` with TLS, or `smtp://` with STARTTLS, which is required except on loopback; with percent-encoded user and password, if it requires them. Unset: no mail is sent.',
    }),
  ),
  MAIL_FROM: Type.Optional(
    Type.String({
      maxLength: 320,
      pattern: '^([^<>@"\\u0000-\\u001f\\u007f]+ <[^<>@\\s]+@[^<>@\\s]+>|[^<>@\\s]+@[^<>@\\s]+)$',
      description: 'Sender, such as `Marketplace <no-reply@example.com>`. Required with SMTP_URL.',
    }),
  ),
  MAIL_DELAY_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 3600,
    default: 30,
    description: 'Time during which notifications for one address are collected into one mail, in seconds.',
  }),
  MAIL_TIMEOUT_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 300,
    default: 30,
    description: 'Timeout of the SMTP server for one mail, in seconds.',
  }),
  MAIL_HOURLY_MAX: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 100,
    description: 'Maximum mails per organization and hour. Above it, notifications wait and links are refused.',
  }),
  INBOX_MAIL_HOUR: Type.Integer({
    minimum: 0,
    maximum: 23,
    default: 6,
    description:
      'Hour of the day in UTC from which the daily summaries of the inbox are sent to the mail addresses with the topic INBOX.',
  }),
  MAIL_RETENTION_DAYS: Type.Integer({
    minimum: 1,
    maximum: 3650,
    default: 30,
    description: 'Days after which the records of sent and failed mails are deleted.',
  }),
})

export type OrganizationConfig = Static<typeof organizationVariables>

/** Problems that the schema cannot express. */
export function organizationProblems({
  SMTP_URL: server,
  MAIL_FROM: from,
}: Pick<OrganizationConfig, 'SMTP_URL' | 'MAIL_FROM'>): string[] {
  if (server === undefined) return []
  return [
    ...(URL.canParse(server) && isDecodable(server)
      ? []
      : ['SMTP_URL is not valid; percent-encode special characters in its password.']),
    ...(from === undefined ? ['MAIL_FROM is missing: SMTP_URL requires a sender.'] : []),
  ]
}

function isDecodable(server: string): boolean {
  const { username, password } = new URL(server)
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}
