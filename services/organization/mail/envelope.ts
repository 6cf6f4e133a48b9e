/**
 * The recipient as the SMTP library writes it into the envelope. It drops and rewrites characters, so limits that count
 * mails to one recipient use its reading, not their own.
 */
export async function envelopeAddressOf(email: string): Promise<string> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const composed = new MailComposer({ to: { name: '', address: email } }).compile()
  return composed.getEnvelope().to[0] ?? ''
}

/** The mailbox of an envelope's address: quotes, the spelling of letters and a `+tag` do not matter. */
export function mailboxOf(envelopeAddress: string): string {
  const address = envelopeAddress.replace(/["\\]/g, '').toLowerCase()
  const at = address.lastIndexOf('@')
  const name = address.slice(0, at)
  return `${name.replace(/(?<=.)\+.*$/, '')}${address.slice(at)}`
}
