import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sendFile } from '../src/cli/upload.ts'

const folder = await mkdtemp(join(tmpdir(), 'upload-'))
afterAll(() => rm(folder, { recursive: true }))

/** A file store on this machine, and when its request has ended. */
async function fileStore(listener: RequestListener) {
  const ended = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    request.on('close', () => ended.resolve())
    request.on('error', () => undefined)
    listener(request, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const uploadUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { target: { uploadUrl, method: 'PUT' as const, headers: {} }, ended: ended.promise, [Symbol.dispose]: stop }
}

async function fileOf(size: number): Promise<string> {
  const path = join(folder, crypto.randomUUID())
  await writeFile(path, '')
  const handle = await open(path, 'r+')
  await handle.truncate(size)
  await handle.close()
  return path
}
const MEGABYTE = 1024 * 1024

test('a file store that takes nothing ends the upload with the reason', async () => {
  using store = await fileStore((request) => void request.pause())
  const path = await fileOf(16 * MEGABYTE)
  await expect(sendFile(store.target, { path, size: 16 * MEGABYTE }, 1000)).rejects.toMatchObject({
    message: 'The file was not sent: the file store took nothing for 1 seconds.',
    exitCode: 4,
  })
})

test('a file store that does not answer ends the upload with the reason', async () => {
  using store = await fileStore((request) => void request.resume())
  const path = await fileOf(10)
  await expect(sendFile(store.target, { path, size: 10 }, 1000)).rejects.toMatchObject({
    message: 'The file was not sent: the file store took nothing for 1 seconds.',
    exitCode: 4,
  })
  await store.ended
})

test.each([
  ['grown', 2 * MEGABYTE, MEGABYTE],
  ['shrunk', MEGABYTE, 2 * MEGABYTE],
])('a file that has %s since it was announced is not stored', async (_, actual, announced) => {
  let isComplete = false
  using store = await fileStore((request, response) => {
    request.resume()
    request.on('end', () => {
      isComplete = request.complete
      response.end()
    })
  })
  const path = await fileOf(actual)
  await expect(sendFile(store.target, { path, size: announced })).rejects.toMatchObject({
    message: `${path} was changed while it was sent.`,
    exitCode: 2,
  })
  await store.ended
  expect(isComplete).toBe(false)
})

test('a file that cannot be read ends the request', async () => {
  using store = await fileStore((request) => void request.resume())
  const path = join(folder, 'missing')
  await expect(sendFile(store.target, { path, size: 10 })).rejects.toMatchObject({
    message: expect.stringMatching(/^The file cannot be read: ENOENT/),
    exitCode: 2,
  })
})

test('an early refusal ends the sending', async () => {
  const connected = Promise.withResolvers<Socket>()
  const server = createTcpServer((socket) => {
    socket.once('data', () => {
      socket.pause()
      socket.write('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
      connected.resolve(socket)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const uploadUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const path = await fileOf(64 * MEGABYTE)
  await expect(
    sendFile({ uploadUrl, method: 'PUT', headers: {} }, { path, size: 64 * MEGABYTE }),
  ).rejects.toMatchObject({ message: 'The file store answered 403.', exitCode: 1 })
  const socket = await connected.promise
  const closed = new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve))
  let received = 0
  socket.on('data', (chunk) => {
    received += chunk.length
  })
  socket.resume()
  await closed
  expect(received).toBeLessThan(64 * MEGABYTE)
  server.close()
})

test('a file is sent as it is', async () => {
  let received = 0
  using store = await fileStore((request, response) => {
    request.on('data', (chunk) => {
      received += chunk.length
    })
    request.on('end', () => response.end())
  })
  const path = await fileOf(3 * MEGABYTE)
  await sendFile(store.target, { path, size: 3 * MEGABYTE })
  expect(received).toBe(3 * MEGABYTE)
})
