import { SMTPServer } from 'smtp-server'

/** How the server treats mails: `250`, a reply to RCPT or DATA, or no reply at all. */
export type MailMode =
  | 'accept'
  | { refuse: 'RCPT' | 'DATA' | 'AUTH'; status: number }
  | 'hang'
  /** The mail is taken, and the reply comes with the next mode. */
  | 'takeAndWait'

/** What the server took: with the reply, or still without it. */
export interface TakenMail {
  from: string
  to: string[]
  raw: string
}

let mode: MailMode = 'accept'
const waiting: (() => void)[] = []

const refusal = (status: number) => Object.assign(new Error('refused <someone@example.com>'), { responseCode: status })

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  disableReverseLookup: true,
  logger: false,
  onAuth(auth, _, done) {
    if (typeof mode === 'object' && mode.refuse === 'AUTH') return done(refusal(mode.status))
    if (auth.username !== 'market' || auth.password !== 'p@ss word') return done(refusal(535))
    done(null, { user: auth.username })
  },
  onRcptTo(_, __, done) {
    if (mode === 'hang') return
    if (typeof mode === 'object' && mode.refuse === 'RCPT') return done(refusal(mode.status))
    done()
  },
  onData(stream, { envelope }, done) {
    const chunks: Buffer[] = []
    stream.on('data', (chunk) => chunks.push(chunk))
    stream.on('end', () => {
      if (typeof mode === 'object' && mode.refuse === 'DATA') return done(refusal(mode.status))
      const from = envelope.mailFrom ? envelope.mailFrom.address : ''
      const to = envelope.rcptTo.map(({ address }) => address)
      process.send?.({ from, to, raw: Buffer.concat(chunks).toString() } satisfies TakenMail)
      if (mode === 'takeAndWait') waiting.push(done)
      else done()
    })
  },
})
// A client that was killed in the middle of a mail.
server.on('error', () => {})
process.on('message', (next: MailMode) => {
  mode = next
  for (const done of waiting.splice(0)) done()
  process.send?.('set')
})
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.send?.('listening'))
