import { afterAll } from 'bun:test'
import { join } from 'node:path'
import PostalMime, { type Email } from 'postal-mime'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'
import type { MailMode, TakenMail } from './server.process.ts'

/** A mail as the server took it, decoded. */
export interface ReceivedMail extends TakenMail {
  mail: Email
}

/** An SMTP server in a process of its own, which refuses, hangs and is killed as a test asks. */
export class TestMailServer {
  readonly received: ReceivedMail[] = []
  readonly port = freePort()
  readonly url = `smtp://market:p%40ss%20word@127.0.0.1:${this.port}`
  #child: Bun.Subprocess | undefined
  #isSet = () => {}

  constructor() {
    afterAll(() => this.kill())
  }

  async start(): Promise<this> {
    let isListening = false
    this.#child = Bun.spawn([process.execPath, join(import.meta.dir, 'server.process.ts'), String(this.port)], {
      stdio: ['ignore', 'ignore', 'inherit'],
      ipc: (message: 'listening' | 'set' | TakenMail) => {
        if (message === 'listening') isListening = true
        else if (message === 'set') this.#isSet()
        else void this.#keep(message)
      },
    })
    await until(() => isListening, { what: 'the SMTP server' })
    return this
  }

  async #keep(taken: TakenMail): Promise<void> {
    this.received.push({ ...taken, mail: await PostalMime.parse(taken.raw) })
  }

  async set(mode: MailMode): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#isSet = resolve
    this.#child?.send(mode)
    await promise
  }

  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#child?.exited
  }

  /** The mails to an address. */
  to = (address: string): ReceivedMail[] => this.received.filter((one) => one.to.includes(address))

  /** The mails to an address once there are so many. */
  async arrived(address: string, count = 1): Promise<ReceivedMail[]> {
    await until(() => this.to(address).length >= count, { what: `${count} mails to ${address}` })
    return this.to(address)
  }
}

/** The value of a header. */
export const headerOf = ({ mail }: ReceivedMail, name: string) =>
  mail.headers.find(({ key }) => key === name.toLowerCase())?.value
