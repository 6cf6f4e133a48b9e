import type { Socket, TCPSocketListener } from 'bun'

interface Link {
  peer: Socket<Link> | undefined
  /** What arrived before the other side was connected. */
  early: Buffer[]
}

/** A TCP link to Postgres that a test can cut and mend, as a network or a failing server would. */
export class TcpProxy {
  readonly url: string
  #cut = false
  readonly #open = new Set<Socket<Link>>()
  readonly #server: TCPSocketListener<Link>

  constructor(targetUrl: string) {
    const { hostname, port } = new URL(targetUrl)
    this.#server = Bun.listen<Link>({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open: (client) => {
          client.data = { peer: undefined, early: [] }
          this.#open.add(client)
          if (this.#cut) return client.terminate()
          void this.#dial(client, hostname, Number(port))
        },
        data: ({ data: link }, bytes) => {
          if (link.peer) link.peer.write(bytes)
          else link.early.push(Buffer.from(bytes))
        },
        close: (client) => {
          this.#open.delete(client)
          client.data.peer?.end()
        },
      },
    })
    const url = new URL(targetUrl)
    url.hostname = '127.0.0.1'
    url.port = String(this.#server.port)
    this.url = url.href
  }

  /** Ends what is open and refuses what comes. */
  cut(): void {
    this.#cut = true
    for (const socket of this.#open) socket.terminate()
  }

  mend(): void {
    this.#cut = false
  }

  close(): void {
    this.cut()
    this.#server.stop(true)
  }

  async #dial(client: Socket<Link>, hostname: string, port: number): Promise<void> {
    client.data.peer = await Bun.connect<Link>({
      hostname,
      port,
      data: { peer: client, early: [] },
      socket: {
        data: (_, bytes) => {
          client.write(bytes)
        },
        close: () => {
          client.end()
        },
      },
    })
    for (const bytes of client.data.early) client.data.peer.write(bytes)
  }
}
