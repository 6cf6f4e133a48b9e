import type { Socket } from 'bun'

/** A raw TCP server, for responses with wrong lengths and bodies that never end. */
export function plainSource(responses: Record<string, (socket: Socket) => void>): { url: string; close(): void } {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, bytes) {
        const path = /^GET (\S+) /.exec(bytes.toString('latin1'))?.[1]
        if (path !== undefined) responses[path]?.(socket)
      },
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, close: () => server.stop(true) }
}

export const headOf = (length: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`
