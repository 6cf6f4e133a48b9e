export interface SmtpServer {
  host: string
  port: number
  /** TLS from the start, or by STARTTLS. */
  secure: boolean
  auth: { user: string; pass: string } | undefined
  /** Otherwise a network between could hide STARTTLS, and read password and links. */
  requireTls: boolean
}

export interface Message {
  from: string
  to: string
  raw: Buffer
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The server of `SMTP_URL`. */
export function smtpServerOf(url: string): SmtpServer {
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  const auth = username === '' ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (secure ? 465 : 587),
    secure,
    auth,
    requireTls: !LOOPBACK.has(hostname),
  }
}

/** A mail that the server did not accept. The texts of servers contain addresses, so they are not kept. */
export class SmtpFailure extends Error {
  /** Whether this recipient or message was refused; otherwise the server serves no mail now. */
  readonly by: 'RECIPIENT' | 'SERVER'
  readonly isPermanent: boolean
  readonly status: number | undefined
  readonly code: string | undefined

  constructor(cause: {
    code?: string | undefined
    command?: string | undefined
    responseCode?: number | undefined
    response?: string | undefined
  }) {
    super('the SMTP server did not accept a mail')
    const { code, command = '', responseCode: status, response = '' } = cause
    const isPolicy = /^\d{3}[ -]5\.7\.\d/.test(response) || status === 530
    const isUnusable = code === 'EENVELOPE' && command === 'API'
    // A refused password, sender or relay concerns every mail until it is mended.
    const isRefused = status !== undefined && !isPolicy && /^(RCPT|DATA)/.test(command)
    this.by = isRefused || isUnusable ? 'RECIPIENT' : 'SERVER'
    this.isPermanent = isUnusable || (isRefused && status >= 500)
    this.status = status
    this.code = code
  }
}

const CONNECT_MS = 10_000
/** Longest wait for the server to close after it has accepted the mail. */
const QUIT_MS = 1000

/** Hands a mail over to the server, in a connection of its own, which the time-out or the signal cuts. */
export const sendMail = (
  server: SmtpServer,
  message: Message,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<void> => connect(server, timeoutMs, message, signal)

/** Connects to the server and signs in, as for a mail. */
export const checkServer = (server: SmtpServer, timeoutMs: number): Promise<void> => connect(server, timeoutMs)

async function connect(server: SmtpServer, timeoutMs: number, message?: Message, signal?: AbortSignal): Promise<void> {
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection')
  const { host, port, secure, auth, requireTls } = server
  const connectMs = Math.min(CONNECT_MS, timeoutMs)
  const connection = new SMTPConnection({
    ...{ host, port, secure, requireTLS: requireTls },
    ...{ connectionTimeout: connectMs, greetingTimeout: connectMs, dnsTimeout: connectMs, socketTimeout: timeoutMs },
  })
  signal?.throwIfAborted()
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => fail({ code: 'ETIMEDOUT' }), timeoutMs)
    const cut = () => fail({ code: 'ECONNECTION' })
    const settle = () => {
      clearTimeout(timer)
      // The signal outlives the mail.
      signal?.removeEventListener('abort', cut)
    }
    const fail = (error: ConstructorParameters<typeof SmtpFailure>[0]) => {
      settle()
      // First, because `close` emits `end`.
      reject(new SmtpFailure(error))
      connection.close()
    }
    const end = () => {
      settle()
      resolve()
      connection.quit()
      const quitting = setTimeout(() => connection.close(), QUIT_MS)
      connection.once('end', () => clearTimeout(quitting))
    }
    const send = () => {
      if (!message) return end()
      const envelope = { from: message.from, to: [message.to] }
      connection.send(envelope, message.raw, (error) => (error ? fail(error) : end()))
    }
    // Remains after the end, because an event without a listener would end the process.
    connection.on('error', fail)
    connection.once('end', cut)
    signal?.addEventListener('abort', cut)
    connection.connect((error) => {
      if (error) return fail(error)
      if (!auth) return send()
      connection.login({ credentials: auth }, (refused) => (refused ? fail(refused) : send()))
    })
  })
}
