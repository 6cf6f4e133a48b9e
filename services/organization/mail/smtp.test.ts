import { expect, test } from 'bun:test'
import { TestMailServer } from '../../testing/mail/server.ts'
import { until } from '../../testing/until.ts'
import { type SmtpFailure, sendMail, smtpServerOf } from './smtp.ts'

test.each([
  [
    'smtp://smtp.example.com',
    { host: 'smtp.example.com', port: 587, secure: false, auth: undefined, requireTls: true },
  ],
  [
    'smtp://user%40example.com:p%2Fw@smtp.example.com:2525',
    {
      host: 'smtp.example.com',
      port: 2525,
      secure: false,
      auth: { user: 'user@example.com', pass: 'p/w' },
      requireTls: true,
    },
  ],
  [
    'smtps://user:pw@smtp.example.com/',
    { host: 'smtp.example.com', port: 465, secure: true, auth: { user: 'user', pass: 'pw' }, requireTls: true },
  ],
  ['smtp://127.0.0.1:25', { host: '127.0.0.1', port: 25, secure: false, auth: undefined, requireTls: false }],
  ['smtp://u:p@[::1]:25', { host: '::1', port: 25, secure: false, auth: { user: 'u', pass: 'p' }, requireTls: false }],
])('%s', (url, server) => expect(smtpServerOf(url)).toEqual(server))

const server = await new TestMailServer().start()
const message = { from: 'no-reply@example.com', to: 'a@example.org', raw: Buffer.from('Subject: x\r\n\r\nx') }
const refused = (to: ReturnType<typeof smtpServerOf>, sent = message, timeoutMs = 5000) =>
  sendMail(to, sent, timeoutMs).then(
    () => undefined,
    ({ by, isPermanent, status, code }: SmtpFailure) => ({ by, isPermanent, status, code }),
  )
const own = smtpServerOf(server.url)

test('a server without STARTTLS does not get the password, where that is required', async () => {
  const failure = await refused({ ...own, requireTls: true })
  expect(failure).toMatchObject({ by: 'SERVER', isPermanent: false, code: 'ETLS' })
  expect(server.received).toEqual([])
})

test('a server without STARTTLS and credentials gets no mail outside of loopback', async () => {
  const { requireTls } = smtpServerOf('smtp://relay.internal')
  const failure = await refused({ ...own, auth: undefined, requireTls })
  expect(failure).toMatchObject({ by: 'SERVER', isPermanent: false, code: 'ETLS' })
  expect(await refused({ ...own, auth: undefined })).toBeUndefined()
  // The server answers before it has parsed the mail.
  await until(() => server.received.length === 1, { what: 'the mail' })
})

test('a recipient that no server could take is refused for good', async () => {
  const failure = await refused(own, { ...message, to: 'a@example.org>\r\nRCPT TO:<b@example.org' })
  expect(failure).toEqual({ by: 'RECIPIENT', isPermanent: true, status: undefined, code: 'EENVELOPE' })
})

test('a server that says nothing is left after the time-out', async () => {
  const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const startedMs = performance.now()
  const failure = await refused({ ...own, port: silent.port }, message, 300)
  expect(failure).toMatchObject({ by: 'SERVER', isPermanent: false })
  expect(performance.now() - startedMs).toBeLessThan(5000)
  silent.stop(true)
})

test('a server that accepts a mail and never closes is cut off', async () => {
  let isOpen = true
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => void socket.write('220 ready\r\n'),
      data(socket, bytes) {
        const text = bytes.toString()
        if (text.startsWith('QUIT')) return
        socket.write(text.startsWith('DATA') ? '354 go on\r\n' : '250 ok\r\n')
      },
      close() {
        isOpen = false
      },
    },
  })
  const message = { from: 'a@example.com', to: 'b@example.com', raw: Buffer.from('Subject: x\r\n\r\nx\r\n') }
  await sendMail(smtpServerOf(`smtp://127.0.0.1:${server.port}`), message, 5_000)
  await until(() => !isOpen, { what: 'the end of the connection' })
  server.stop(true)
})

test('the signal cuts the connection to a server that does not answer', async () => {
  const closed: number[] = []
  const opened = Promise.withResolvers<void>()
  const silent = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: () => opened.resolve(), data: () => {}, close: () => void closed.push(1) },
  })
  const stopping = new AbortController()
  const sent = sendMail(smtpServerOf(`smtp://127.0.0.1:${silent.port}`), message, 30_000, stopping.signal).catch(
    ({ by, isPermanent, code }: SmtpFailure) => ({ by, isPermanent, code }),
  )
  await opened.promise
  stopping.abort()
  expect(await sent).toEqual({ by: 'SERVER', isPermanent: false, code: 'ECONNECTION' })
  await until(() => closed.length === 1, { what: 'the end of the connection' })
  silent.stop(true)
})
