import type { Socket, TCPSocketListener } from 'bun'

interface Tunnel {
  peer: Socket<Tunnel> | undefined
  /** Bytes received before the other side was connected, or while the proxy was frozen. */
  pending: Buffer[]
}

/** A TCP proxy in front of Postgres, whose connections a test can interrupt and restore. */
export class TcpProxy {
  readonly url: string
  #cut = false
  #frozen = false
  readonly #open = new Set<Socket<Tunnel>>()
  readonly #server: TCPSocketListener<Tunnel>
  #target: URL

  constructor(targetUrl: string) {
    this.#target = new URL(targetUrl)
    this.#server = Bun.listen<Tunnel>({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open: (client) => {
          client.data = { peer: undefined, pending: [] }
          this.#open.add(client)
          if (this.#cut) return client.terminate()
          void this.#dial(client).catch(() => client.terminate())
        },
        data: ({ data: tunnel }, bytes) => this.#forward(tunnel, bytes),
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

  /** Closes open connections and refuses new ones. */
  cut(): void {
    this.#cut = true
    for (const socket of this.#open) socket.terminate()
  }

  /** Closes open connections and leads new ones to another server. */
  switchTo(targetUrl: string): void {
    this.#target = new URL(targetUrl)
    for (const socket of this.#open) socket.terminate()
  }

  /** Leads new connections to another server. Open ones stay. */
  leadNewTo(targetUrl: string): void {
    this.#target = new URL(targetUrl)
  }

  /** Accepts connections and bytes but passes nothing on, like a server whose process is stopped. */
  freeze(): void {
    this.#frozen = true
  }

  /** Ends a cut or a freeze. */
  restore(): void {
    this.#cut = false
    this.#frozen = false
    for (const { data } of this.#open) {
      this.#flush(data)
      if (data.peer) this.#flush(data.peer.data)
    }
  }

  close(): void {
    this.cut()
    this.#server.stop(true)
  }

  async #dial(client: Socket<Tunnel>): Promise<void> {
    client.data.peer = await Bun.connect<Tunnel>({
      hostname: this.#target.hostname,
      port: Number(this.#target.port),
      data: { peer: client, pending: [] },
      socket: {
        data: ({ data: tunnel }, bytes) => this.#forward(tunnel, bytes),
        close: () => {
          client.end()
        },
      },
    })
    this.#flush(client.data)
  }

  #forward(tunnel: Tunnel, bytes: Buffer): void {
    if (tunnel.peer && !this.#frozen) tunnel.peer.write(bytes)
    else tunnel.pending.push(Buffer.from(bytes))
  }

  #flush(tunnel: Tunnel): void {
    if (!tunnel.peer || this.#frozen) return
    for (const bytes of tunnel.pending.splice(0)) tunnel.peer.write(bytes)
  }
}
