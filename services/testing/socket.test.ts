import { afterAll, expect, test } from 'bun:test'
import { sendRaw } from './socket.ts'

const pieces = ['first\r\n\r\n', 'second', '']
const server = Bun.listen({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    data(socket) {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      for (const piece of pieces) {
        setTimeout(() => socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`), 10)
      }
    },
  },
})
afterAll(() => server.stop(true))

test('sendRaw reads a chunked response to its last chunk', async () => {
  const { status, body } = await sendRaw(server.port, 'GET / HTTP/1.1\r\n\r\n')
  expect({ status, body }).toEqual({ status: 200, body: 'first\r\n\r\nsecond' })
})
