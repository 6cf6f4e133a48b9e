import { buffer } from 'node:stream/consumers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

const MAX_MAILS = 200
const MAX_MAIL_BYTES = 1024 * 1024

interface Mailbox {
  /** `SMTP_URL` of the services. */
  smtpUrl: string
  /** The page that shows the mails. */
  pageUrl: string
  stop(): Promise<void>
}

/** Takes all mails of a local marketplace, only on this machine, and shows them on a page instead of sending them. */
export async function startMailbox(): Promise<Mailbox> {
  const mails: Email[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: MAX_MAIL_BYTES,
    onData(stream, _, done) {
      const keep = async () => {
        mails.unshift(await PostalMime.parse(await buffer(stream)))
        mails.splice(MAX_MAILS)
      }
      keep().then(() => done(), done)
    },
  })
  // The services try again after a broken connection.
  server.on('error', () => {})
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  const page = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ method, url }) => {
      if (method !== 'GET' || new URL(url).pathname !== '/') return new Response('Not found', { status: 404 })
      return new Response(pageOf(mails), { headers: HEADERS })
    },
  })
  const { port } = server.server.address() as { port: number }
  return {
    smtpUrl: `smtp://127.0.0.1:${port}`,
    pageUrl: `http://localhost:${page.port}/`,
    async stop() {
      await page.stop(true)
      const closed = Promise.withResolvers<void>()
      server.close(closed.resolve)
      await closed.promise
    },
  }
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
const withLinks = (text: string) => escaped(text).replace(/https?:\/\/[^\s&]+/g, (url) => `<a href="${url}">${url}</a>`)

const pageOf = (mails: readonly Email[]) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Mails of the local marketplace</title>
<style>body { font: 1rem/1.5 system-ui; max-width: 50em; margin: 2em auto; padding: 0 1em }
pre { white-space: pre-wrap; font: inherit; overflow-wrap: anywhere }
article { border-top: 1px solid; padding: 1em 0 }</style></head>
<body><h1>Mails of the local marketplace</h1>
<p>They are shown here instead of being sent. <a href="/">Show new ones</a></p>
${mails.map(articleOf).join('\n') || '<p>There is none yet.</p>'}
</body></html>
`

const articleOf = ({ to = [], date = '', subject = '', text = '' }: Email) =>
  `<article><h2>${escaped(subject)}</h2>
<p>To ${escaped(to.map(({ address }) => address).join(', '))}, ${escaped(date)}</p>
<pre>${withLinks(text)}</pre></article>`
